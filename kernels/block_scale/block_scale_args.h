// SPDX-License-Identifier: MIT
// Declares the arguments of kernels that convert to and from MX formats, for host (C) and device (HIP C++).
#ifndef WT_KERNELS_BLOCK_SCALE_ARGS_H
#define WT_KERNELS_BLOCK_SCALE_ARGS_H

// Along columns, a work-group takes a tile: so many blocks of so many columns of x.
enum { WT_BLOCK_THREADS = 256, WT_BLOCK_TILE_COLUMNS = 32, WT_BLOCK_TILE_BLOCKS = 8 };

// Each block of 32 elements is one thread's. Along rows, blocks stand in `slow` lines of `fast`, and thread t
// of a launch takes those with the numbers t, t + threads, t + 2 * threads, ... A line has the blocks of a
// row; or, where squares share a scale, those of a square, the last of which may be partly outside. Along
// columns, there are `slow` lines of `fast` tiles, and work-groups take them in the same manner.
typedef struct wt_block_scale_args {
  void *x, *q;                // what is read of the two is not written
  unsigned char *scale;       // E8M0
  long long x_row;            // elements from one row of x to the next
  long long q_row_bytes;      // from one row of q to the next
  long long scale_row_bytes;  // from one row of scales to the next
  unsigned slow, fast, threads;
  int rounding;             // wt::scale_rounding
  unsigned square_blocks;   // blocks of a row of q, if blocks of 32 rows share their scale, and 0 if not
  int q_rows, q_blocks;     // of q: rows, and blocks of one
  unsigned long long seed;  // of stochastic rounding
} wt_block_scale_args;

#endif
