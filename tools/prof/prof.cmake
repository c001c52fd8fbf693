# SPDX-License-Identifier: MIT
# `wavetile prof`: its sources, and the parts of its page, embedded as they stand: assembly is the one language that can
# include a file.
set(page ${CMAKE_CURRENT_BINARY_DIR}/prof_page.S)
set(assembly "/* Generated: the parts of the profiler's page (tools/prof/prof_html.c). */\n.section .rodata\n")
foreach(part html css js)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/prof/page.${part})
  string(APPEND assembly ".hidden prof_page_${part}\n.global prof_page_${part}\nprof_page_${part}:\n"
                         ".incbin \"${file}\"\n.byte 0\n")
  list(APPEND page_parts ${file})
endforeach()
file(CONFIGURE OUTPUT ${page} CONTENT "${assembly}.section .note.GNU-stack,\"\",@progbits\n" @ONLY)
set_source_files_properties(${page} PROPERTIES OBJECT_DEPENDS "${page_parts}")
target_sources(wavetile_tool PRIVATE ${page}
  prof/prof.c prof/prof_advice.c prof/prof_compare.c prof/prof_flops.c prof/prof_folder.c prof/prof_html.c prof/prof_json.c
  prof/prof_json_loop.c prof/prof_listing.c prof/prof_load.c prof/prof_loop.c prof/prof_program.c prof/prof_text.c
  prof/prof_timeline.c prof/prof_trace.c)
target_include_directories(wavetile_tool SYSTEM PRIVATE ${WT_JANSSON_INCLUDE})
target_link_libraries(wavetile_tool PRIVATE ${WT_JANSSON_LIBRARY})
