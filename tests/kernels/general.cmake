# SPDX-License-Identifier: MIT
# What the general and the skinny GEMM are made of: loads through registers, transposed reads, reads past LDS.
set(objects)
set(checked)
foreach(target gfx950 gfx942)  # the order of devices
  set(object ${CMAKE_CURRENT_BINARY_DIR}/general_load.${target}.co)
  wt_compile_kernel(general_load ${CMAKE_CURRENT_SOURCE_DIR}/general_load.hip ${target} FALSE ${object} ${object}.checked)
  list(APPEND objects ${object})
  list(APPEND checked ${object}.checked)
endforeach()
wt_add_test(NAME kernels.general.load LABEL kernels SOURCES general_load.c LIBS amdhip64 wt_hip_headers ARGS ${objects}
            ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
add_custom_target(general_load_kernels DEPENDS ${checked})
add_dependencies(test_kernels_general_load general_load_kernels)
