# SPDX-License-Identifier: MIT
# Programs that are built without sanitizers cannot load libraries that are built with them.
set(WT_RUNS_ORDINARY_PROGRAMS ON)
if(WT_SANITIZE OR WT_SANITIZE_THREADS OR WT_FUZZ)
  set(WT_RUNS_ORDINARY_PROGRAMS OFF)
endif()

# wt_add_test(NAME label.name LABEL label SOURCES file... [LIBS target...] [ARGS arg...] [ENV var=value...])
#   builds one C test program and registers it with CTest.
function(wt_add_test)
  cmake_parse_arguments(T "" "NAME;LABEL;TIMEOUT" "SOURCES;LIBS;ARGS;ENV" ${ARGN})
  string(REPLACE "." "_" target "test_${T_NAME}")
  add_executable(${target} ${T_SOURCES})
  wt_host_options(${target})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${T_LIBS} m)
  add_test(NAME ${T_NAME} COMMAND ${target} ${T_ARGS})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  set_tests_properties(${T_NAME} PROPERTIES LABELS ${T_LABEL} TIMEOUT ${T_TIMEOUT} ENVIRONMENT "${T_ENV}")
endfunction()

# wt_add_fuzz_target(NAME fuzz_x TEST label.name LABEL label SECONDS n SOURCES file... [LIBS target...] [SEEDS file...]
#                    [CORPUS folder])
#   a test that replays the corpus and the seeds and mutates them for some seconds (tests/fuzz_driver.h); with WT_FUZZ also
#   fuzz_x, for libFuzzer, whose own corpus in corpus_fuzz_x begins with the same files.
function(wt_add_fuzz_target)
  cmake_parse_arguments(F "" "NAME;TEST;LABEL;SECONDS;CORPUS" "SOURCES;LIBS;SEEDS" ${ARGN})
  set(files ${F_SEEDS})
  if(F_CORPUS)
    file(GLOB corpus CONFIGURE_DEPENDS ${F_CORPUS}/*)
    list(APPEND files ${corpus})
  endif()
  wt_add_test(NAME ${F_TEST} LABEL ${F_LABEL} SOURCES ${F_SOURCES} LIBS ${F_LIBS} ARGS ${F_SECONDS} ${files})
  string(REPLACE "." "_" test "test_${F_TEST}")
  target_compile_definitions(${test} PRIVATE WT_FUZZ_DRIVER)
  if(WT_FUZZ)
    add_executable(${F_NAME} ${F_SOURCES})
    wt_host_options(${F_NAME})
    target_include_directories(${F_NAME} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR})
    target_link_options(${F_NAME} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${F_NAME} PRIVATE ${F_LIBS} m)
    set(folder ${CMAKE_BINARY_DIR}/corpus_${F_NAME})
    add_custom_command(TARGET ${F_NAME} POST_BUILD COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
                       COMMAND ${CMAKE_COMMAND} -E copy ${files} ${folder} VERBATIM)
  endif()
endfunction()
