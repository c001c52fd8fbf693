# SPDX-License-Identifier: MIT
# wt_embed_text(TARGET NAME SYMBOL FILE [SYMBOL FILE ...]) puts files into a target as they stand, each as the string SYMBOL with a
# zero byte at its end: assembly is the one language that can include a file. NAME names the assembly file.
function(wt_embed_text target name)
  set(assembly "/* Generated. */\n.section .rodata\n")
  set(files "")
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest symbol file)
    string(APPEND assembly ".hidden ${symbol}\n.global ${symbol}\n${symbol}:\n.incbin \"${file}\"\n.byte 0\n")
    list(APPEND files ${file})
  endwhile()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.S)
  file(CONFIGURE OUTPUT ${source} CONTENT "${assembly}.section .note.GNU-stack,\"\",@progbits\n" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${source})
endfunction()
