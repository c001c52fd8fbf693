# SPDX-License-Identifier: MIT
# Installs the pages so that their links hold where they are installed: links to device headers and to the C API lead to the
# installed headers; links to files that are not installed (kernels, tests, sources of the command) become their text.
# Package.cmake sets WT_PAGES_SOURCE (this tree), WT_PAGES_STAGE (a folder to write to), WT_PAGES_DESTINATION (where pages
# go, below the prefix) and WT_PAGES_DEVICE and WT_PAGES_INCLUDE (the headers, as seen from there).
file(REMOVE_RECURSE ${WT_PAGES_STAGE})
file(GLOB_RECURSE pages RELATIVE ${WT_PAGES_SOURCE} ${WT_PAGES_SOURCE}/docs/*.md ${WT_PAGES_SOURCE}/examples/*.md)
list(APPEND pages README.md CHANGELOG.md)
set(absent "(kernels|tests|src|sim|tools|cmake|include/[^)]*\\.hip|CONTRIBUTING\\.md)(/[^)]*)?")
foreach(page ${pages})
  file(READ ${WT_PAGES_SOURCE}/${page} text)
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)include/(wavetile/|wavetile\\.h|wavetile_sim\\.h)" "](\\1${WT_PAGES_INCLUDE}/\\3" text "${text}")
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)include/(tiles|ops|sched|wavetile_device\\.h)" "](\\1${WT_PAGES_DEVICE}/\\3" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\((\\.\\./)*${absent}\\)" "\\1" text "${text}")
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)LICENSE\\)" "](\\1copyright)" text "${text}")
  file(WRITE ${WT_PAGES_STAGE}/${page} "${text}")
endforeach()
file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${WT_PAGES_DESTINATION}" TYPE DIRECTORY FILES "${WT_PAGES_STAGE}/")
