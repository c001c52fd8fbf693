# SPDX-License-Identifier: MIT
# Every layout of the headers, as compiled for both targets, against the ISA's rules; those of tiles also around MFMAs.
set(layout_objects)
set(layout_checked)
foreach(target gfx950 gfx942)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/layout_catalogue.${target}.co)
  wt_compile_kernel(layout_catalogue ${CMAKE_SOURCE_DIR}/tools/layout/layout_catalogue.hip ${target} FALSE ${object} ${object}.checked)
  list(APPEND layout_objects ${object})
  list(APPEND layout_checked ${object}.checked)
endforeach()
add_custom_target(layout_catalogue_objects DEPENDS ${layout_checked})
wt_add_test(NAME kernels.layout.maps_are_the_isas LABEL kernels LIBS sim_core ARGS ${layout_objects}
            SOURCES layout_catalogue.c ${CMAKE_SOURCE_DIR}/tools/layout/layout_catalogue.c ${CMAKE_SOURCE_DIR}/tools/core/read_file.c)
add_dependencies(test_kernels_layout_maps_are_the_isas layout_catalogue_objects)

set(layout_objects)
set(layout_checked)
foreach(target gfx950 gfx942)  # the order of devices
  set(object ${CMAKE_CURRENT_BINARY_DIR}/layout_device.${target}.co)
  wt_compile_kernel(layout_device ${CMAKE_CURRENT_SOURCE_DIR}/layout_device.hip ${target} FALSE ${object} ${object}.checked)
  list(APPEND layout_objects ${object})
  list(APPEND layout_checked ${object}.checked)
endforeach()
add_custom_target(layout_device_objects DEPENDS ${layout_checked})
wt_add_test(NAME kernels.layout.tiles_meet_in_the_mfma LABEL kernels SOURCES layout_device.c LIBS amdhip64 wt_hip_headers
            ARGS ${layout_objects} ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
add_dependencies(test_kernels_layout_tiles_meet_in_the_mfma layout_device_objects)
