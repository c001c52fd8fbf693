# SPDX-License-Identifier: MIT
# Finds the device toolchain and the third-party libraries: LLVM's disassembler (C API), zstd and zlib for compressed
# offload bundles, jansson for JSON files, and the HIP headers. Each failure names the Debian package that provides what is
# missing.
find_program(WT_LLVM_CONFIG NAMES llvm-config-22 llvm-config HINTS /usr/lib/llvm-22/bin /opt/rocm/llvm/bin)
if(NOT WT_LLVM_CONFIG)
  message(FATAL_ERROR "llvm-config not found; install llvm-22-dev")
endif()
execute_process(COMMAND ${WT_LLVM_CONFIG} --version OUTPUT_VARIABLE WT_LLVM_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${WT_LLVM_CONFIG} --includedir OUTPUT_VARIABLE WT_LLVM_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${WT_LLVM_CONFIG} --libdir OUTPUT_VARIABLE WT_LLVM_LIBDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${WT_LLVM_CONFIG} --bindir OUTPUT_VARIABLE WT_LLVM_BINDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "^[0-9]+" WT_LLVM_MAJOR "${WT_LLVM_VERSION}")
if(WT_LLVM_MAJOR LESS 20)
  message(FATAL_ERROR "LLVM ${WT_LLVM_VERSION} does not know gfx950; install llvm-22-dev")
endif()
# The disassembler alone is linked, statically: loading all of LLVM takes longer than many programs run (70 ms of 80), and a
# program may bring another LLVM along.
execute_process(COMMAND ${WT_LLVM_CONFIG} --link-static --libs amdgpudisassembler OUTPUT_VARIABLE WT_LLVM_LIBRARIES
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE error RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "LLVM has no static libraries with AMDGPU's disassembler (${error}); install llvm-22-dev")
endif()
separate_arguments(WT_LLVM_LIBRARIES)
add_library(wt_llvm INTERFACE)
target_include_directories(wt_llvm SYSTEM INTERFACE ${WT_LLVM_INCLUDE})
target_link_directories(wt_llvm INTERFACE ${WT_LLVM_LIBDIR})
target_link_options(wt_llvm INTERFACE -Wl,--gc-sections)
target_link_libraries(wt_llvm INTERFACE ${WT_LLVM_LIBRARIES} ${CMAKE_DL_LIBS} stdc++)

find_program(WT_CLANGXX NAMES clang++-22 clang++ HINTS ${WT_LLVM_BINDIR} REQUIRED)
find_program(WT_CLANG NAMES clang-22 clang HINTS ${WT_LLVM_BINDIR} REQUIRED)
find_program(WT_LLD NAMES ld.lld-22 ld.lld HINTS ${WT_LLVM_BINDIR} REQUIRED)

find_library(WT_ZSTD_LIBRARY NAMES zstd)
find_library(WT_ZLIB_LIBRARY NAMES z)
if(NOT WT_ZSTD_LIBRARY OR NOT WT_ZLIB_LIBRARY)
  message(FATAL_ERROR "zstd or zlib not found; install libzstd-dev and zlib1g-dev")
endif()

find_library(WT_JANSSON_LIBRARY NAMES jansson)
find_path(WT_JANSSON_INCLUDE NAMES jansson.h)
if(NOT WT_JANSSON_LIBRARY OR NOT WT_JANSSON_INCLUDE)
  message(FATAL_ERROR "jansson not found; install libjansson-dev")
endif()

find_path(WT_HIP_INCLUDE NAMES hip/hip_runtime_api.h HINTS /opt/rocm/include)
if(NOT WT_HIP_INCLUDE)
  message(FATAL_ERROR "hip/hip_runtime_api.h not found; install libamdhip64-dev")
endif()
# These are the HIP API's types for host C code. The runtime itself is chosen by library path: the simulated one
# or ROCm's.
add_library(wt_hip_headers INTERFACE)
target_include_directories(wt_hip_headers SYSTEM INTERFACE ${WT_HIP_INCLUDE})
target_compile_definitions(wt_hip_headers INTERFACE __HIP_PLATFORM_AMD__ __HIP_PLATFORM_HCC__)
