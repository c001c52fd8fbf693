# SPDX-License-Identifier: MIT
# `wavetile layout`: its sources, and the catalogue of layouts, compiled for a device and embedded. One target serves for all
# that it shows, since the catalogue is the same for both (kernels.layout.maps_are_the_isas).
set(catalogue ${CMAKE_CURRENT_BINARY_DIR}/layout_catalogue.co)
wt_compile_kernel(layout_catalogue ${CMAKE_CURRENT_LIST_DIR}/layout_catalogue.hip gfx950 FALSE ${catalogue} ${catalogue}.checked)
file(CONFIGURE OUTPUT layout_catalogue.S @ONLY CONTENT
     "/* Generated: the code object of layout_catalogue.hip. */
.section .rodata
.hidden layout_catalogue_image, layout_catalogue_end
.global layout_catalogue_image, layout_catalogue_end
.balign 64
layout_catalogue_image: .incbin \"${catalogue}\"
layout_catalogue_end:
.section .note.GNU-stack, \"\", %progbits
")
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/layout_catalogue.S PROPERTIES OBJECT_DEPENDS "${catalogue};${catalogue}.checked")
target_sources(wavetile_tool PRIVATE
  layout/layout.c layout/layout_catalogue.c layout/layout_lds.c layout/layout_lds_picture.c layout/layout_map.c
  layout/layout_map_picture.c ${CMAKE_CURRENT_BINARY_DIR}/layout_catalogue.S)
