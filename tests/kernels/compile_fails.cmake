# SPDX-License-Identifier: MIT
# Misuse must be refused with advice. The folders of must_not_compile/ are those of include/. Each file there holds, in comments,
#   // expect: REGEX      what a message of the compiler must match; more lines, more messages
#   // target: gfx942     the chip to compile for; without it, gfx950
#   // flags: FLAG...      further arguments for the compiler
#   // command: g++ ...    another compiler, g++ or clang++, with all its arguments, run once
# Each is a line of its own, which clang-format leaves alone (.clang-format). What is wrapped all the same would not be read,
# and fails the test.
# Included in a CMakeLists.txt it makes one test of each file; run as a script it checks one:
# -DCOMPILER= -DGXX= -DSOURCE= -DFILE=
if(NOT CMAKE_SCRIPT_MODE_FILE)
  find_program(WT_GXX g++ REQUIRED)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/must_not_compile/*.hip)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME kernels.must_not_compile.${name}
             COMMAND ${CMAKE_COMMAND} -DCOMPILER=${WT_CLANGXX} -DGXX=${WT_GXX} -DSOURCE=${CMAKE_SOURCE_DIR}
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

set(directives "(expect|target|flags|command)")
file(READ ${FILE} text)
set(text "\n${text}")
foreach(misplaced "//[^\n]*[^ /\n][^\n]*${directives}:[ \n]" "//(  +)?${directives}:[ \n]" "// ${directives}:[^ :]")
  if(text MATCHES "\n *(${misplaced})")
    string(STRIP "${CMAKE_MATCH_1}" found)
    message(FATAL_ERROR "${FILE} has \"${found}\", which is not read: begin a line of its own with \"// NAME: \"")
  endif()
endforeach()
string(REGEX REPLACE "\n// ${directives}: [^\n]*" "\n//:" text "${text}")
if(text MATCHES "\n//:\n(// [^\n]*)")
  message(FATAL_ERROR "${FILE} goes on with \"${CMAKE_MATCH_1}\" below a directive: make it one short line, or two")
endif()
directive(expect expected)
directive(target target)
directive(flags flags)
directive(command command)
separate_arguments(flags)
separate_arguments(command)
if("${expected}" STREQUAL "")
  message(FATAL_ERROR "${FILE} does not say what to expect: add a line \"// expect: REGEX\"")
endif()
if(NOT target)
  set(target gfx950)
endif()
if(command)
  set(target "any chip")
  list(POP_FRONT command program)
  if(program STREQUAL "g++")
    list(PREPEND command ${GXX})
  else()
    list(PREPEND command ${COMPILER})
  endif()
endif()
if(command)
  set(compile ${command} -fsyntax-only)
else()
  set(compile ${COMPILER} -x hip --cuda-device-only -nogpuinc -nogpulib -std=c++20 -Wall -Wextra -Werror
              -fsyntax-only -ferror-limit=0 --offload-arch=${target} ${flags})
endif()
execute_process(COMMAND ${compile} -I${SOURCE}/include -I${SOURCE} ${FILE}
                RESULT_VARIABLE failed ERROR_VARIABLE output)
if(NOT failed)
  message(FATAL_ERROR "${FILE} compiles for ${target}; expected: ${expected}")
endif()
foreach(message IN LISTS expected)
  if(NOT output MATCHES "error: [^\n]*${message}")
    message(SEND_ERROR "${FILE} is refused for ${target} without saying \"${message}\", but:\n${output}")
  endif()
endforeach()
