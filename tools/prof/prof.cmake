# SPDX-License-Identifier: MIT
# Builds `wavetile prof`: its sources, and the parts of its page.
wt_embed_text(wavetile_tool prof_page
  prof_page_html ${CMAKE_CURRENT_SOURCE_DIR}/prof/page.html
  prof_page_css ${CMAKE_CURRENT_SOURCE_DIR}/prof/page.css
  prof_page_js ${CMAKE_CURRENT_SOURCE_DIR}/prof/page.js)
target_sources(wavetile_tool PRIVATE
  prof/prof.c prof/prof_advice.c prof/prof_compare.c prof/prof_flops.c prof/prof_folder.c prof/prof_html.c prof/prof_json.c
  prof/prof_json_loop.c prof/prof_json_source.c prof/prof_listing.c prof/prof_load.c prof/prof_loop.c prof/prof_program.c prof/prof_roofline.c prof/prof_source.c
  prof/prof_source_text.c prof/prof_text.c
  prof/prof_timeline.c prof/prof_trace.c)
target_include_directories(wavetile_tool SYSTEM PRIVATE ${WT_JANSSON_INCLUDE})
target_link_libraries(wavetile_tool PRIVATE ${WT_JANSSON_LIBRARY})
