// SPDX-License-Identifier: MIT
// Declares the arguments of gemm_reduce, shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_GEMM_REDUCE_ARGS_H
#define WT_KERNELS_GEMM_REDUCE_ARGS_H

#include "gemm_args.h"

enum { WT_REDUCE_THREADS = 256, WT_REDUCE_COLUMNS = 4 };  // of a work-group; of a thread

// In `product`, `a` are the sums: rows a_row apart, a multiple of 4, matrices of the batch a_batch and parts
// c_part. Nothing has written the columns from n on, and nothing is read there. All else is as for any GEMM,
// and k and k_part are not looked at. Work-groups: x = four columns for each thread, row after row; z =
// batch.
typedef struct wt_gemm_reduce_args {
  wt_gemm_args product;
  wt_divisor row;  // four columns each of a row of sums
  int parts;
} wt_gemm_reduce_args;

#endif
