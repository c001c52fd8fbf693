# SPDX-License-Identifier: MIT
# `wavetile hipcc`: its sources, and the flags of the library's own kernels, so that there is one list of them.
set(kernel_flags ${WT_DEVICE_FLAGS})
list(FILTER kernel_flags EXCLUDE REGEX "^-W|^[$]<|gpu-bundle-output")  # the user's own choice, or the command's
list(JOIN kernel_flags "\", \"" kernel_flags)
file(CONFIGURE OUTPUT hipcc/hipcc_flags.h CONTENT
     "// Generated: the flags of WT_DEVICE_FLAGS (cmake/WavetileKernels.cmake) that every kernel needs.\n#define HIPCC_KERNEL_FLAGS \"${kernel_flags}\"\n"
     @ONLY)
set_source_files_properties(hipcc/hipcc_find.c PROPERTIES COMPILE_DEFINITIONS
                            "HIPCC_CLANG=\"${WT_CLANGXX}\";HIPCC_HIP_INCLUDE=\"${WT_HIP_INCLUDE}\"")
target_sources(wavetile_tool PRIVATE
  hipcc/hipcc.c hipcc/hipcc_compose.c hipcc/hipcc_find.c hipcc/hipcc_words.c)
target_include_directories(wavetile_tool PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/hipcc)
# The command finds the headers in include/ beside bin/.
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)
