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

# wt_add_kernel_example(NAME KERNEL.hip CASE...): a kernel, compiled for each target, and the program run.c that launches it
# from its code object and checks what it computes. A case is the program's arguments after the code object, and a schedule of
# the simulated device: each is a test on each chip, which also holds that no access to LDS has a bank conflict.
set(chip_of_gfx950 mi355x)
set(chip_of_gfx942 mi300x)
function(wt_add_kernel_example name kernel)
  add_executable(${name} run.c)
  wt_host_options(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE amdhip64 wt_hip_headers m)
  get_filename_component(stem ${kernel} NAME_WE)
  set(checked)
  foreach(target ${WT_TARGETS})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${stem}.${target}.co)
    wt_compile_kernel(${stem} ${CMAKE_CURRENT_SOURCE_DIR}/${kernel} ${target} FALSE ${object} ${object}.checked)
    list(APPEND checked ${object}.checked)
    foreach(case ${ARGN})
      if(WT_BUILD_TESTS)
        separate_arguments(words UNIX_COMMAND "${case}")
        list(POP_BACK words schedule)
        list(JOIN words x shape)
        set(test docs.${name}.${chip_of_${target}}.${shape})
        add_test(NAME ${test} COMMAND ${name} ${object} ${words})
        set_tests_properties(${test} PROPERTIES LABELS cli TIMEOUT 120 FAIL_REGULAR_EXPRESSION "[1-9][0-9]* conflict cycles"
                             ENVIRONMENT
                             "WT_SIM_DEVICES=${chip_of_${target}};WT_SIM_LDS_CONFLICTS=1;WT_SIM_SCHEDULE=${schedule}")
      endif()
    endforeach()
  endforeach()
  add_custom_target(${name}_objects ALL DEPENDS ${checked})
endfunction()
