// SPDX-License-Identifier: MIT
// Allocates memory of the current device, with the sentences that commands say when there is none.
#ifndef WT_TOOLS_DEVICE_MEMORY_H
#define WT_TOOLS_DEVICE_MEMORY_H

#include <hip/hip_runtime_api.h>

// Reports that `what` failed and returns TOOL_FAILED.
int tool_hip_failed(const char *what, hipError_t error);

// Allocates memory and copies `data` to it; NULL: only allocates. `what` is for the sentence.
int tool_upload(void **out, const void *data, size_t size, const char *what);

#endif
