# SPDX-License-Identifier: MIT
# wt_add_pictures(PAGE SOURCE PICTURE...) adds the program that draws a page's pictures into a folder, and the tests that they
# are the ones in docs/pictures.
function(wt_add_pictures page source)
  add_executable(${page}_pictures ${source})
  wt_host_options(${page}_pictures)
  target_link_libraries(${page}_pictures PRIVATE wt_tool_parts)
  if(NOT WT_BUILD_TESTS)
    return()
  endif()
  set(drawn ${CMAKE_CURRENT_BINARY_DIR}/pictures)
  file(MAKE_DIRECTORY ${drawn})
  add_test(NAME docs.${page}.pictures_are_drawn COMMAND ${page}_pictures ${drawn})
  set_tests_properties(docs.${page}.pictures_are_drawn PROPERTIES LABELS cli FIXTURES_SETUP ${page}_pictures)
  foreach(picture ${ARGN})
    add_test(NAME docs.${page}.${picture}_is_the_committed_one
             COMMAND ${CMAKE_COMMAND} -E compare_files ${drawn}/${picture}.svg ${CMAKE_SOURCE_DIR}/docs/pictures/${picture}.svg)
    set_tests_properties(docs.${page}.${picture}_is_the_committed_one PROPERTIES LABELS cli FIXTURES_REQUIRED ${page}_pictures)
  endforeach()
endfunction()
