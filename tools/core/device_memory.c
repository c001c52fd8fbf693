// SPDX-License-Identifier: MIT
// Allocates and fills memory of the device.
#include "device_memory.h"

#include "tool.h"

int tool_hip_failed(const char *what, hipError_t error) {
  return tool_error(TOOL_FAILED, "%s failed: %s", what, hipGetErrorString(error));
}

int tool_upload(void **out, const void *data, size_t size, const char *what) {
  hipError_t error = hipMalloc(out, size);
  if (error == hipSuccess && data) error = hipMemcpy(*out, data, size, hipMemcpyHostToDevice);
  return error == hipSuccess ? TOOL_OK : tool_hip_failed(what, error);
}
