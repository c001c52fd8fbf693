// SPDX-License-Identifier: MIT
// The arguments of the GEMM kernels with block scales, shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_GEMM_MX_ARGS_H
#define WT_KERNELS_GEMM_MX_ARGS_H

#include "../gemm/gemm_args.h"

// How the rows of an operand lie in memory: one after the other, or 16 together, of which first 16 bytes of
// each follow each other, then the next 16 of each.
enum { WT_KERNEL_BY_ROWS = 0, WT_KERNEL_SHUFFLED = 1 };

// `gemm` is as for any GEMM (kernels/gemm/gemm_args.h), but a_row and b_row are in bytes, as elements are
// packed; K lies along the rows, is a multiple of 32 and is not split.
typedef struct wt_gemm_mx_args {
  wt_gemm_args gemm;
  const unsigned char *a_scale, *b_scale;  // a byte for 32 elements of a row
  long long a_scale_row, b_scale_row;      // bytes from one row of scales to the next; where scales are
                                           // shuffled, from one group of 32 rows to the next
  int b_layout;                            // WT_KERNEL_BY_ROWS or WT_KERNEL_SHUFFLED
} wt_gemm_mx_args;

#endif
