# SPDX-License-Identifier: MIT
# wt_add_example(NAME SOURCE): a program on the C API that checks what it computes, run as a test on each simulated chip.
function(wt_add_example name source)
  add_executable(example_${name} ${source})
  wt_host_options(example_${name})
  target_link_libraries(example_${name} PRIVATE wavetile amdhip64 wt_hip_headers m)
  if(NOT WT_BUILD_TESTS)
    return()
  endif()
  foreach(chip mi355x mi300x)
    add_test(NAME docs.${name}.example.${chip} COMMAND example_${name})
    set_tests_properties(docs.${name}.example.${chip} PROPERTIES LABELS cli TIMEOUT 120 ENVIRONMENT
                         "WT_SIM_DEVICES=${chip};WT_SIM_QUIET=1")
  endforeach()
endfunction()
