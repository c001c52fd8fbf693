// SPDX-License-Identifier: MIT
// Where the parts of wavetile are that this command needs at run time: found from the command itself, in the
// build folder and in an installed one alike.
#ifndef WT_TOOLS_FOLDERS_H
#define WT_TOOLS_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOL_PATH = 4096 };  // bytes of a path, with its final zero

// Finds the folder of the simulated runtime that this command itself runs with. Returns false when it runs
// with another runtime, or the path has more than `size` bytes.
bool tool_runtime_folder(char *out, size_t size);

// Finds the folder of the device headers, and that of the C API, in the include folder beside the folder of
// this command: installed, the device headers have a folder of their own (include/wavetile/device); the build
// folder has both in one. Returns false when the device headers are in neither.
bool tool_header_folders(char *device, char *api, size_t size);

// Returns ROCm's folder as WT_ROCM_PATH or else ROCM_PATH names it; NULL when neither is set. `variable`
// receives the name of the one that is, and may be NULL.
const char *tool_rocm_folder(const char **variable);

// Finds the folder of ROCm's HIP runtime, and the runtime itself, in the ROCm tree that is named or in
// /opt/rocm; both buffers have `size` bytes. Returns TOOL_OK, or reports that it cannot be read and returns
// TOOL_USAGE.
int tool_rocm_runtime(char *folder, char *library, size_t size);

#endif
