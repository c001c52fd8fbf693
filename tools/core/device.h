// SPDX-License-Identifier: MIT
// Resolves --device: "sim:mi355x", "sim:mi300x" or "hip:N" to an ordinal of the HIP runtime.
#ifndef WT_TOOLS_DEVICE_H
#define WT_TOOLS_DEVICE_H

#include <stdbool.h>

typedef struct tool_device {
  int ordinal;
  char name[256];  // as the runtime gives it; that of a simulated device says so
} tool_device;

// Checks the spelling. For "hip:N" while the simulated runtime is loaded, starts this program again with
// ROCm's runtime (in WT_ROCM_PATH or /opt/rocm) in its place; returns only if that fails. It must be called
// before any work.
int tool_device_prepare(const char *spec, char **argv);

// Finds the device. Returns TOOL_OK, or reports and returns an exit code.
int tool_device_open(const char *spec, tool_device *out);

// Gives the instructions and work-groups that the simulated runtime executed so far in this process. Returns
// false with a real runtime.
bool tool_device_counters(unsigned long long *instructions, unsigned long long *workgroups);

#endif
