# SPDX-License-Identifier: MIT
# Derived pipelines: small ones on the device.
set(objects)
set(checked)
foreach(target gfx950 gfx942)  # the order of devices
  set(object ${CMAKE_CURRENT_BINARY_DIR}/pipeline_device.${target}.co)
  wt_compile_kernel(pipeline_device ${CMAKE_CURRENT_SOURCE_DIR}/pipeline_device.hip ${target} FALSE ${object}
                    ${object}.checked)
  list(APPEND objects ${object})
  list(APPEND checked ${object}.checked)
endforeach()
wt_add_test(NAME kernels.pipeline.small_ones_are_right_and_tight LABEL kernels
            SOURCES pipeline_device.c ${CMAKE_SOURCE_DIR}/tools/core/read_file.c
            LIBS amdhip64 wt_hip_headers sim_core ARGS ${objects}
            ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
add_custom_target(pipeline_device_kernels DEPENDS ${checked})
add_dependencies(test_kernels_pipeline_small_ones_are_right_and_tight pipeline_device_kernels)
