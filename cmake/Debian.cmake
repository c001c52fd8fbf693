# SPDX-License-Identifier: MIT
# Debian packages, one of each component of Package.cmake: `cpack -G DEB` in the build folder makes them in its folder package/.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR wavetile)
set(CPACK_PACKAGE_CONTACT "wavetile maintainers <maintainers@wavetile.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development command)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${WT_DEBIAN_runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "kernels for AMD CDNA GPUs, and a simulated device
libwavetile is a C library of kernels for AMD CDNA GPUs. With it comes a HIP runtime without a GPU, in a folder of its own, \
that executes the machine code of these kernels and of any HIP program.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${WT_DEBIAN_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${WT_DEBIAN_runtime} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "clang-22, lld-22, libamdhip64-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "headers to call and to write kernels for AMD CDNA GPUs
The C API of libwavetile, the device headers for kernels in HIP, and the CMake package and the pkg-config file for both.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME ${WT_DEBIAN_command})
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${WT_DEBIAN_runtime} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS
    "${WT_DEBIAN_development} (= ${PROJECT_VERSION}), clang-22, lld-22, libamdhip64-dev, rocm-device-libs")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "command to run, compile, check and time kernels for AMD CDNA GPUs
The command wavetile multiplies matrices and runs other kernels, compiles HIP programs, runs them without a GPU, and predicts \
where their time goes.")

# Says what other packages that link libwavetile depend on. The simulated runtime is not named: who links HIP wants
# ROCm's.
set(extra ${CMAKE_BINARY_DIR}/debian)
file(WRITE ${extra}/shlibs "libwavetile ${PROJECT_VERSION_MAJOR} ${WT_DEBIAN_runtime} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${extra}/shlibs)

# The changelog in Debian's format, made of the newest section of CHANGELOG.md. It is dated by SOURCE_DATE_EPOCH, where that is set.
find_program(WT_GZIP gzip)
mark_as_advanced(WT_GZIP)
if(WT_GZIP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md)
  file(READ CHANGELOG.md changes)
  string(REGEX REPLACE "^.*\n## ${PROJECT_VERSION}[^\n]*\n+" "" changes "${changes}")
  string(REGEX REPLACE "\n## .*$" "" changes "${changes}")
  string(REGEX REPLACE "\n+$" "" changes "${changes}")
  string(REGEX REPLACE "(^|\n)- " "\\1  * " changes "${changes}")
  string(REGEX REPLACE "\n  ([^ ])" "\n    \\1" changes "${changes}")
  string(REGEX REPLACE "\n    \\* " "\n  * " changes "${changes}")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${extra}/changelog "wavetile (${PROJECT_VERSION}) unstable; urgency=medium\n\n${changes}\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND ${WT_GZIP} -9nf ${extra}/changelog COMMAND_ERROR_IS_FATAL ANY)
  foreach(component runtime development command)
    install(FILES ${extra}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${WT_DEBIAN_${component}} COMPONENT ${component})
  endforeach()
endif()

find_program(WT_SHLIBDEPS dpkg-shlibdeps)
find_program(WT_FILE file)
mark_as_advanced(WT_SHLIBDEPS WT_FILE)
if(WT_SHLIBDEPS AND WT_FILE)
  # Our own libraries are found where CPack stages them, and dpkg-shlibdeps is told that they need no package besides those
  # named above: it would take the simulated runtime for ROCm's.
  set(staged ${CPACK_PACKAGE_DIRECTORY}/_CPack_Packages/${CMAKE_SYSTEM_NAME}/DEB/${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME})
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${staged}/runtime/usr/${CMAKE_INSTALL_LIBDIR} ${staged}/runtime/usr/${WT_INSTALL_SIM})
  file(WRITE ${extra}/own_libraries.cmake "foreach(component runtime development command)
  file(WRITE ${staged}/\${component}/debian/shlibs.local \"libamdhip64 5\\nlibwavetile ${PROJECT_VERSION_MAJOR}\\n\")
endforeach()\n")
  set(CPACK_PRE_BUILD_SCRIPTS ${extra}/own_libraries.cmake)
else()
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6, libstdc++6, libzstd1, zlib1g")
  string(APPEND CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS ", libc6, libstdc++6, libjansson4")
endif()
include(CPack)
