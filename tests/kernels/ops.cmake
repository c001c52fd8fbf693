# SPDX-License-Identifier: MIT
# Operations on register tiles: kernels ops_PART.hip for both chips, checked by ops_PART.c.
foreach(part maps reduce mask convert layout memory mma vector team)
  set(objects)
  set(checked)
  foreach(target gfx950 gfx942)  # the order of devices
    set(object ${CMAKE_CURRENT_BINARY_DIR}/ops_${part}.${target}.co)
    wt_compile_kernel(ops_${part} ${CMAKE_CURRENT_SOURCE_DIR}/ops_${part}.hip ${target} FALSE ${object} ${object}.checked)
    list(APPEND objects ${object})
    list(APPEND checked ${object}.checked)
  endforeach()
  wt_add_test(NAME kernels.ops.${part} LABEL kernels SOURCES ops_${part}.c LIBS amdhip64 wt_hip_headers ARGS ${objects}
              ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
  add_custom_target(ops_${part}_kernels DEPENDS ${checked})
  add_dependencies(test_kernels_ops_${part} ops_${part}_kernels)
endforeach()
foreach(target ${WT_TARGETS})  # a wrong law does not compile
  set(object ${CMAKE_CURRENT_BINARY_DIR}/ops_laws.${target}.co)
  wt_compile_kernel(ops_laws ${CMAKE_CURRENT_SOURCE_DIR}/ops_laws.hip ${target} FALSE ${object} ${object}.checked)
  list(APPEND ops_laws ${object}.checked)
endforeach()
add_custom_target(ops_laws ALL DEPENDS ${ops_laws})
