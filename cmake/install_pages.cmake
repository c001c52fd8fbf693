# SPDX-License-Identifier: MIT
# Installs the pages and examples so that they hold where they are installed: links to device headers and to the C API lead to
# the installed headers, links to files that are not installed (kernels, tests, sources of the command) become their text, and
# commands are those of an installed package: `wavetile` instead of build/bin/wavetile, pkg-config's flags instead of folders of
# the repository.
# Package.cmake sets WT_PAGES_SOURCE (this tree), WT_PAGES_STAGE (a folder to write to), WT_PAGES_DESTINATION (where pages
# go, below the prefix) and WT_PAGES_DEVICE and WT_PAGES_INCLUDE (the headers, as seen from there).
file(REMOVE_RECURSE ${WT_PAGES_STAGE})
file(GLOB_RECURSE pages RELATIVE ${WT_PAGES_SOURCE} ${WT_PAGES_SOURCE}/docs/*.md ${WT_PAGES_SOURCE}/examples/*.md)
list(APPEND pages README.md CHANGELOG.md)
set(absent "(kernels|tests|src|sim|tools|cmake|include/[^)]*\\.hip|CONTRIBUTING\\.md)(/[^)]*)?")

# Turns what is printed for the repository into what it is for the package.
function(wt_installed_commands text out)
  string(REGEX REPLACE "build/bin/wavetile" "wavetile" text "${text}")
  string(REPLACE "LD_LIBRARY_PATH=build/lib" "LD_LIBRARY_PATH=$(pkg-config --variable=simdir wavetile)" text "${text}")
  string(REPLACE "cc -D__HIP_PLATFORM_AMD__ " "cc " text "${text}")
  string(REPLACE "-Lbuild/lib -lwavetile -lamdhip64" "$(pkg-config --cflags --libs wavetile)" text "${text}")
  string(REPLACE "-Lbuild/lib -lamdhip64" "$(pkg-config --cflags --libs wavetile)" text "${text}")
  # The folder of the repository has the C API's headers and the device headers.
  string(REGEX REPLACE "-Iinclude ([^\n]*/run\\.c)" "-I$(pkg-config --variable=device_includedir wavetile) \\1" text "${text}")
  string(REPLACE " -Iinclude" "" text "${text}")
  string(REPLACE ", after `./dev build`" "" text "${text}")
  string(REPLACE ", after a build;" ";" text "${text}")
  string(REPLACE "the top folder of the repository" "a copy of the folder that these pages are installed in" text "${text}")
  string(REGEX REPLACE "(stands for|is)([ \n])`wavetile`, or (for )?the installed command" "\\1\\2the installed command" text "${text}")
  string(REPLACE "The build puts all of them into `build/bin`, and the comment" "The comment" text "${text}")
  string(REPLACE "In a clone, this lets the shell find the command:\n\n```sh\nexport PATH=$PWD/build/bin:$PATH\n```\n\n" "" text "${text}")
  # The programs that draw pictures need parts of the command.
  string(REGEX REPLACE "```sh\n[a-z_]+_pictures docs/pictures\n```\n\n" "" text "${text}")
  string(REGEX REPLACE "\n## Pictures\n.*" "" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

foreach(page ${pages})
  file(READ ${WT_PAGES_SOURCE}/${page} text)
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)include/(wavetile/|wavetile\\.h|wavetile_sim\\.h)" "](\\1${WT_PAGES_INCLUDE}/\\3" text "${text}")
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)include/(tiles|ops|sched|wavetile_device\\.h)" "](\\1${WT_PAGES_DEVICE}/\\3" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\((\\.\\./)*${absent}\\)" "\\1" text "${text}")
  string(REGEX REPLACE "\\]\\(((\\.\\./)*)LICENSE\\)" "](\\1copyright)" text "${text}")
  if(NOT page STREQUAL "docs/install.md")  # which is about both
    wt_installed_commands("${text}" text)
  endif()
  file(WRITE ${WT_PAGES_STAGE}/${page} "${text}")
endforeach()

# Installs the sources of examples, with their build lines, and the one file outside of examples/ that they include.
file(GLOB_RECURSE sources RELATIVE ${WT_PAGES_SOURCE} ${WT_PAGES_SOURCE}/examples/*.c ${WT_PAGES_SOURCE}/examples/*.h
     ${WT_PAGES_SOURCE}/examples/*.hip)
list(FILTER sources EXCLUDE REGEX "/pictures\\.c$")
foreach(source ${sources} kernels/gemm/gemm_args.h)
  configure_file(${WT_PAGES_SOURCE}/${source} ${WT_PAGES_STAGE}/${source} COPYONLY)
  file(STRINGS ${WT_PAGES_SOURCE}/${source} builds REGEX "^// Build: ")
  if(builds)
    file(READ ${WT_PAGES_SOURCE}/${source} text)
    wt_installed_commands("${text}" text)
    file(WRITE ${WT_PAGES_STAGE}/${source} "${text}")
  endif()
endforeach()
file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${WT_PAGES_DESTINATION}" TYPE DIRECTORY FILES "${WT_PAGES_STAGE}/")
