// SPDX-License-Identifier: MIT
// The arguments of the GEMM kernels with block scales, shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_GEMM_MX_ARGS_H
#define WT_KERNELS_GEMM_MX_ARGS_H

#include "../gemm/gemm_args.h"

// Says how the rows of an operand lie in memory: one after the other, or 16 together, of which first 16 bytes
// of each follow each other, then the next 16 of each.
enum { WT_KERNEL_BY_ROWS = 0, WT_KERNEL_SHUFFLED = 1 };

// Lists the numbers of wt_type that C may have besides those of any GEMM (wavetile.h).
enum { WT_KERNEL_F8E4M3 = 1, WT_KERNEL_F4E2M1 = 12 };

// Parts of K are multiples of so many elements: whole K steps of every kernel, whose scales lie at whole 16
// bytes of a row, and in whole groups where they are shuffled.
enum { WT_GEMM_MX_GRAIN = 512 };

// `gemm` is as for any GEMM (kernels/gemm/gemm_args.h), but a_row, b_row, a_batch and b_batch are in bytes,
// as elements are packed; K lies along the rows and is a multiple of 32, and k_part is k or a multiple of
// WT_GEMM_MX_GRAIN. Where C has scales, c_row and c_batch are in bytes, too, n is a multiple of 32, beta is
// 0, and K is not split.
// Five lines of memory have all of it, of which the beginning of a kernel brings each to the scalar cache:
// the end of the kernel reads arguments anew, and must not miss it.
typedef struct wt_gemm_mx_args {
  wt_gemm_args gemm;
  const unsigned char *a_scale, *b_scale;  // a byte for 32 elements of a row; a_scale is null where A is bf16
  long long a_scale_row_bytes, b_scale_row_bytes;      // from one row of scales to the next; where scales are
                                                       // shuffled, from one group of 32 rows to the next
  int b_layout;                                        // WT_KERNEL_BY_ROWS or WT_KERNEL_SHUFFLED
  int c_rounding;                                      // wt::scale_rounding
  long long a_scale_batch_bytes, b_scale_batch_bytes,  // from one member of the batch to the next
      c_scale_batch_bytes;
  unsigned char *c_scale;         // a byte for 32 columns of a row of C; null where C has no scales
  long long c_scale_row_bytes;    // from one row of them to the next
  wt_grid_rotation rotation;      // of the order of tiles, in persistent kernels
  long long a_scale_block_bytes;  // where scales are F32 (kernels/gemm_block/gemm_block_powers.h): from one
  long long b_scale_block_bytes;  // block of 128 columns to the next
} wt_gemm_mx_args;

#endif
