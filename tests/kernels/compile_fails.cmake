# SPDX-License-Identifier: MIT
# Misuse must be refused with advice. Each file of must_not_compile/ holds, in comments,
#   // expect: REGEX      what a message of the compiler must match; more lines, more messages
#   // target: gfx942     the chip to compile for; without it, both
# Included in a CMakeLists.txt it makes one test of each file; run as a script it checks one:
# -DCOMPILER= -DSOURCE= -DTARGETS= -DFILE=
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/must_not_compile/*.hip)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME kernels.must_not_compile.${name}
             COMMAND ${CMAKE_COMMAND} -DCOMPILER=${WT_CLANGXX} -DSOURCE=${CMAKE_SOURCE_DIR} "-DTARGETS=${WT_TARGETS}"
                     -DFILE=${file} -P ${CMAKE_CURRENT_LIST_DIR}/compile_fails.cmake)
    set_tests_properties(kernels.must_not_compile.${name} PROPERTIES LABELS kernels)
  endforeach()
  return()
endif()

function(directive name out)
  file(STRINGS ${FILE} lines REGEX "^// ${name}: ")
  list(TRANSFORM lines REPLACE "^// ${name}: *" "")
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

directive(expect expected)
directive(target target)
if("${expected}" STREQUAL "")
  message(FATAL_ERROR "${FILE} does not say what to expect: add a line \"// expect: REGEX\"")
endif()
if(target)
  set(TARGETS ${target})
endif()
foreach(target ${TARGETS})
  execute_process(COMMAND ${COMPILER} -x hip --cuda-device-only -nogpuinc -nogpulib -std=c++20 -Wall -Wextra -Werror
                          -fsyntax-only -ferror-limit=0 --offload-arch=${target} -I${SOURCE}/include -I${SOURCE} ${FILE}
                  RESULT_VARIABLE failed ERROR_VARIABLE output)
  if(NOT failed)
    message(SEND_ERROR "${FILE} compiles for ${target}; expected: ${expected}")
    continue()
  endif()
  foreach(message IN LISTS expected)
    if(NOT output MATCHES "error: [^\n]*${message}")
      message(SEND_ERROR "${FILE} is refused for ${target} without saying \"${message}\", but:\n${output}")
    endif()
  endforeach()
endforeach()
