# SPDX-License-Identifier: MIT
# Every layout of the headers, as compiled for both targets, against the ISA's rules.
set(layout_objects)
set(layout_checked)
foreach(target gfx950 gfx942)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/layout_catalogue.${target}.co)
  wt_compile_kernel(layout_catalogue ${CMAKE_SOURCE_DIR}/tools/layout_catalogue.hip ${target} FALSE ${object} ${object}.checked)
  list(APPEND layout_objects ${object})
  list(APPEND layout_checked ${object}.checked)
endforeach()
add_custom_target(layout_catalogue_objects DEPENDS ${layout_checked})
wt_add_test(NAME kernels.layout.maps_are_the_isas LABEL kernels LIBS sim_core ARGS ${layout_objects}
            SOURCES layout_catalogue.c ${CMAKE_SOURCE_DIR}/tools/layout_catalogue.c ${CMAKE_SOURCE_DIR}/tools/read_file.c)
add_dependencies(test_kernels_layout_maps_are_the_isas layout_catalogue_objects)
