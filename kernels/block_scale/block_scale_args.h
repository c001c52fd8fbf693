// SPDX-License-Identifier: MIT
// The arguments of the kernels that convert to and from block-scaled formats, shared by host (C) and device
// (HIP C++).
#ifndef WT_KERNELS_BLOCK_SCALE_ARGS_H
#define WT_KERNELS_BLOCK_SCALE_ARGS_H

enum { WT_BLOCK_THREADS = 256 };

// Each block of 32 elements is one thread's. Blocks stand in `slow` lines of `fast`; thread t of a launch
// takes those with the numbers t, t + threads, t + 2 * threads, ...
typedef struct wt_block_scale_args {
  void *x, *q;           // what is read of the two is not written
  unsigned char *scale;  // E8M0
  long long x_row;       // elements from one row of x to the next
  long long q_row;       // bytes from one row of q to the next
  long long scale_row;   // bytes from one row of scales to the next
  unsigned slow, fast, threads;
  int rounding;  // wt::scale_rounding
} wt_block_scale_args;

#endif
