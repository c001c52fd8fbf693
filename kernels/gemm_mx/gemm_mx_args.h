// SPDX-License-Identifier: MIT
// The arguments of the GEMM kernels with block scales, shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_GEMM_MX_ARGS_H
#define WT_KERNELS_GEMM_MX_ARGS_H

#include "../gemm/gemm_args.h"

// How the rows of an operand lie in memory: one after the other, or 16 together, of which first 16 bytes of
// each follow each other, then the next 16 of each.
enum { WT_KERNEL_BY_ROWS = 0, WT_KERNEL_SHUFFLED = 1 };

// The numbers of wt_type that C may have besides those of any GEMM (wavetile.h).
enum { WT_KERNEL_F8E4M3 = 1, WT_KERNEL_F4E2M1 = 12 };

// `gemm` is as for any GEMM (kernels/gemm/gemm_args.h), but a_row and b_row are in bytes, as elements are
// packed; K lies along the rows, is a multiple of 32 and is not split. Where C has scales, c_row is in bytes,
// too, n is a multiple of 32, and beta is 0.
typedef struct wt_gemm_mx_args {
  wt_gemm_args gemm;
  const unsigned char *a_scale, *b_scale;  // a byte for 32 elements of a row
  long long a_scale_row, b_scale_row;      // bytes from one row of scales to the next; where scales are
                                           // shuffled, from one group of 32 rows to the next
  int b_layout;                            // WT_KERNEL_BY_ROWS or WT_KERNEL_SHUFFLED
  unsigned char *c_scale;                  // a byte for 32 columns of a row of C; null where C has no scales
  long long c_scale_row;                   // bytes from one row of them to the next
  int c_rounding;                          // wt::scale_rounding
} wt_gemm_mx_args;

#endif
