# SPDX-License-Identifier: MIT
# Says what `cmake --install` installs, in three components: `runtime` (libwavetile and the simulated HIP runtime),
# `development` (headers, CMake package, pkg-config file) and `command` (the command `wavetile`, its manual page and
# completions). Everything finds everything else by relative paths, so the installed tree may be moved.
#
#   bin/wavetile
#   include/wavetile.h, wavetile/*.h, wavetile_sim.h   the C API, and the simulated runtime's own calls
#   include/wavetile/device/                           wavetile_device.h, tiles/, ops/, sched/: a folder of its own, since
#                                                      these names are too common for the system's include folder
#   lib/libwavetile.so*
#   lib/wavetile/                                      the simulated runtime under all names it is looked for by: a folder of
#                                                      its own, so that it never takes the place of ROCm's by accident
#   lib/cmake/wavetile/, lib/pkgconfig/wavetile.pc
#   libexec/wavetile/kernel_check                      the check for spills that wavetile_add_kernels runs
#   share/                                             manual page, completions, licence, documentation and examples
include(CMakePackageConfigHelpers)
# Builds all that is installed, and nothing else.
add_custom_target(wavetile_package DEPENDS wavetile amdhip64 wavetile_pages kernel_check)
set(WT_INSTALL_SIM ${CMAKE_INSTALL_LIBDIR}/wavetile)
set(WT_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/wavetile)
set(WT_INSTALL_DEVICE ${CMAKE_INSTALL_INCLUDEDIR}/wavetile/device)

# ---- libraries
install(TARGETS wavetile EXPORT wavetileTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS amdhip64 LIBRARY DESTINATION ${WT_INSTALL_SIM} COMPONENT runtime)
get_target_property(names amdhip64 WT_OTHER_NAMES)
list(TRANSFORM names PREPEND ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/)
install(FILES ${names} DESTINATION ${WT_INSTALL_SIM} COMPONENT runtime)

# ---- headers
install(FILES include/wavetile.h include/wavetile_sim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY include/wavetile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
install(FILES include/wavetile_device.h DESTINATION ${WT_INSTALL_DEVICE} COMPONENT development)
install(DIRECTORY include/tiles include/ops include/sched DESTINATION ${WT_INSTALL_DEVICE} COMPONENT development
        FILES_MATCHING PATTERN "*.h")

# ---- find_package(wavetile)
get_target_property(WT_HIP_DEFINITIONS wt_hip_headers INTERFACE_COMPILE_DEFINITIONS)
install(TARGETS kernel_check EXPORT wavetileTargets RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/wavetile COMPONENT development)
install(FILES cmake/WavetileKernels.cmake cmake/wavetile_kernels.h.in DESTINATION ${WT_INSTALL_CMAKE} COMPONENT development)
install(EXPORT wavetileTargets NAMESPACE wavetile:: DESTINATION ${WT_INSTALL_CMAKE} COMPONENT development)
configure_package_config_file(cmake/wavetileConfig.cmake.in wavetileConfig.cmake INSTALL_DESTINATION ${WT_INSTALL_CMAKE}
                              PATH_VARS WT_INSTALL_SIM WT_INSTALL_DEVICE CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(wavetileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/wavetileConfig.cmake ${CMAKE_BINARY_DIR}/wavetileConfigVersion.cmake
        DESTINATION ${WT_INSTALL_CMAKE} COMPONENT development)

# ---- pkg-config
# The HIP headers of this build; a compiler's own folder must not be named, since that would change where it searches first.
list(TRANSFORM WT_HIP_DEFINITIONS PREPEND -D OUTPUT_VARIABLE WT_PC_HIP_FLAGS)
if(NOT WT_HIP_INCLUDE STREQUAL "/usr/include")
  list(APPEND WT_PC_HIP_FLAGS -isystem ${WT_HIP_INCLUDE})
endif()
list(JOIN WT_PC_HIP_FLAGS " " WT_PC_HIP_FLAGS)
file(RELATIVE_PATH WT_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/wavetile.pc.in wavetile.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/wavetile.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# ---- the command
install(TARGETS wavetile_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
get_target_property(pages wavetile_tool WT_PAGES)
install(FILES ${pages}/wavetile.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES ${pages}/wavetile.bash RENAME wavetile DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT command)
install(FILES ${pages}/_wavetile DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)

# ---- the pages, with the examples that they explain
set(WT_INSTALL_PAGES ${CMAKE_INSTALL_DATADIR}/doc/libwavetile-dev)
install(DIRECTORY docs examples DESTINATION ${WT_INSTALL_PAGES} COMPONENT development
        PATTERN CMakeLists.txt EXCLUDE PATTERN *.md EXCLUDE PATTERN *.c EXCLUDE PATTERN *.h EXCLUDE PATTERN *.hip EXCLUDE
        PATTERN *.py EXCLUDE)
set(place /prefix/${WT_INSTALL_PAGES})
file(RELATIVE_PATH WT_PAGES_DEVICE ${place} /prefix/${WT_INSTALL_DEVICE})
file(RELATIVE_PATH WT_PAGES_INCLUDE ${place} /prefix/${CMAKE_INSTALL_INCLUDEDIR})
install(CODE "set(WT_PAGES_SOURCE \"${CMAKE_SOURCE_DIR}\")
set(WT_PAGES_STAGE \"${CMAKE_BINARY_DIR}/installed_pages\")
set(WT_PAGES_DESTINATION \"${WT_INSTALL_PAGES}\")
set(WT_PAGES_DEVICE \"${WT_PAGES_DEVICE}\")
set(WT_PAGES_INCLUDE \"${WT_PAGES_INCLUDE}\")
include(\"${CMAKE_SOURCE_DIR}/cmake/install_pages.cmake\")" COMPONENT development)

# ---- the licence and the changelog, in the folders of the Debian packages that the components become (Debian.cmake)
set(WT_DEBIAN_runtime libwavetile${PROJECT_VERSION_MAJOR})
set(WT_DEBIAN_development libwavetile-dev)
set(WT_DEBIAN_command wavetile)
file(READ LICENSE licence)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/copyright @ONLY CONTENT "${licence}
The simulated runtime and the command contain LLVM's disassembler for AMD GPUs, which is distributed under the Apache License,
version 2.0, with LLVM exceptions (https://llvm.org/LICENSE.txt). On Debian systems, that licence is in
/usr/share/common-licenses/Apache-2.0.
")
foreach(component runtime development command)
  install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${WT_DEBIAN_${component}}
          COMPONENT ${component})
endforeach()
include(Debian)
