// SPDX-License-Identifier: MIT
// The arguments of the kernels that convert to and from FP8 with F32 scales for blocks of 128 elements,
// shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_FP8_BLOCK_ARGS_H
#define WT_KERNELS_FP8_BLOCK_ARGS_H

enum { WT_FP8_BLOCK = 128, WT_FP8_BLOCK_THREADS = 256, WT_FP8_PIECE = 16 };

// Says what a scale may be: the largest magnitude over the type's largest number, or a power of two.
enum wt_fp8_block_scale { WT_FP8_BLOCK_ANY_SCALE, WT_FP8_BLOCK_POWER_OF_TWO };

// Says which elements of q share a scale: 128 of a row, or a square of 128 x 128.
enum wt_fp8_block_shape { WT_FP8_BLOCK_LINE, WT_FP8_BLOCK_SQUARE };

// To FP8: work-group g of a launch takes the tiles g, g + groups, ... of 128 x 128 elements of x, which
// stand in lines of `tiles_along`. Back: there are `slow` lines of `fast` pieces of q, and thread t takes
// those with the numbers t, t + threads, t + 2 * threads, ...
typedef struct wt_fp8_block_args {
  void *x, *q;  // what is read of the two is not written
  float *scale;
  long long x_row;                   // elements from one row of x to the next
  long long q_row;                   // the same of q
  long long scale_row, scale_block;  // numbers from one row of scales to the next, and from one block
  int q_rows, q_columns;             // of q, and of x or of its transpose
  unsigned tiles, tiles_along, groups;
  unsigned slow, fast, threads;
  int scale_kind, shape;  // of the enumerations above
} wt_fp8_block_args;

#endif
