// SPDX-License-Identifier: MIT
// Launching kernels: the context's device made current for the time of a call, and the launch itself.
#ifndef WT_SRC_LAUNCH_H
#define WT_SRC_LAUNCH_H

#include "context.h"

// A work-group's id in y and z has 16 bits (LLVM AMDGPUUsage, trap temporary registers), and the work-items
// of x are counted in 32 (HSA AQL kernel dispatch packet, grid_size_x).
enum { WT_MOST_GROUPS_YZ = 65535 };
#define WT_MOST_THREADS_X UINT32_MAX

// Describes a kernel, and how many work-groups of how many threads a launch of it has.
typedef struct wt_launch {
  char symbol[96];
  hipFunction_t function;
  unsigned x, y, z;  // work-groups
  unsigned threads;  // threads of each work-group, in x
} wt_launch;

// Makes the context's device current. wt_device_leave makes the caller's so again.
wt_status wt_device_enter(wt_context *context, int *previous);
void wt_device_leave(int previous);

// Finds launch->symbol in the code object `stem` for the context's target. The device must be current.
wt_status wt_launch_find(wt_context *context, const char *stem, wt_launch *launch);

// Enqueues one launch, whose only argument is the struct at `args`. The device must be current.
wt_status wt_launch_enqueue(wt_context *context, const wt_launch *launch, const void *args,
                            hipStream_t stream);

// Return the quotient of positive numbers rounded up, and the smaller of two numbers.
static inline int64_t wt_divide_up(int64_t a, int64_t b) { return (a - 1) / b + 1; }
static inline int64_t wt_at_most(int64_t value, int64_t limit) { return value < limit ? value : limit; }

#endif
