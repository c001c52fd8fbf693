// SPDX-License-Identifier: MIT
// The registry of GEMM kernels: what each computes per work-group and what it needs of a descriptor.
#ifndef WT_SRC_KERNELS_H
#define WT_SRC_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "wavetile.h"

typedef struct wt_kernel {
  const char *stem;  // file name without ".hip", prefix of its kernels, and its public name
  const char *idea, *needs;
  unsigned tile_m, tile_n;  // of C, per work-group
  unsigned threads;         // per work-group, in x
  bool k_contiguous;        // A and B must be stored with K along the rows
} wt_kernel;

extern const wt_kernel wt_kernels[];  // slowest first
extern const size_t wt_kernel_count;

const wt_kernel *wt_kernel_find(const char *name);

// "f8e4m3" when `type` is an input type of the target's kernels, and "bf16" when it is an output type; else
// NULL.
const char *wt_kernel_input_name(const char *target, wt_type type);
const char *wt_kernel_output_name(wt_type type);

#endif
