// SPDX-License-Identifier: MIT
// Declares the arguments of the kernels that shuffle matrices, shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_SHUFFLE_ARGS_H
#define WT_KERNELS_SHUFFLE_ARGS_H

enum { WT_SHUFFLE_THREADS = 256, WT_SHUFFLE_ROWS = 16, WT_SHUFFLE_PIECE = 16 };

// Each thread writes pieces of what is shuffled: 4 bytes of scales, WT_SHUFFLE_PIECE of weights. The pieces
// stand in `slow` lines of `fast`; a line has the scales of 32 rows, or the weights of WT_SHUFFLE_ROWS.
typedef struct wt_shuffle_args {
  const unsigned char *from;
  unsigned char *to;
  long long from_row, to_line;  // bytes between rows, and between lines
  unsigned rows, blocks;        // of scales, that exist
  unsigned slow, fast, threads;
} wt_shuffle_args;

#endif
