# SPDX-License-Identifier: MIT
# Builds `wavetile layout`: its sources, and the catalogue of layouts, compiled for a device and embedded. One target serves
# for all that it shows, since the catalogue is the same for both (kernels.layout.maps_are_the_isas).
wavetile_add_kernels(layout_kernels layout/layout_catalogue.hip TARGETS gfx950)
target_sources(wavetile_tool PRIVATE
  layout/layout.c layout/layout_catalogue.c layout/layout_lds.c layout/layout_lds_picture.c layout/layout_map.c
  layout/layout_map_picture.c)
target_link_libraries(wavetile_tool PRIVATE layout_kernels)
