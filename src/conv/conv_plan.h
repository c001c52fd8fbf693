// SPDX-License-Identifier: MIT
// A convolution's descriptor after checking: the sizes of the product that it is (kernels/conv/conv_args.h),
// the extent of each operand, and the kernel.
#ifndef WT_SRC_CONV_PLAN_H
#define WT_SRC_CONV_PLAN_H

#include "core/operand.h"

// A kernel of the family. Those for whole chunks bring 16 bytes of a tap at a time to LDS.
typedef enum wt_conv_needs { WT_CONV_NEEDS_NOTHING, WT_CONV_NEEDS_CHUNKS } wt_conv_needs;
typedef struct wt_conv_kernel {
  const char *stem;  // file name without ".hip", prefix of its symbols, and its public name
  wt_conv_needs needs;
  int tile_m, tile_n;  // pixels and filters of a work-group
  int threads;
  int least_steps;    // K steps that the main loop needs
  double efficiency;  // percent of the matrix cores' rate, to rank kernels by
} wt_conv_kernel;

typedef struct wt_conv_plan {
  wt_conv_desc desc;
  int64_t p, q;     // rows and columns of an image of y
  int64_t rows, k;  // of the product: n * p * q and r * s * c
  wt_operand x, w, y;
  const wt_conv_kernel *kernel;
  int64_t tiles_m, tiles_n;
} wt_conv_plan;

// Checks everything that does not depend on memory, in the order of the members of the descriptor, and
// chooses the kernel for these addresses; NULL stands for well aligned ones.
wt_status wt_conv_plan_make(wt_context *context, const wt_conv_desc *desc, const void *x, const void *w,
                            const void *y, wt_conv_plan *plan);

// Chooses the kernel of a plan that is complete but for it.
wt_status wt_conv_choose(wt_context *context, wt_conv_plan *plan);

#endif
