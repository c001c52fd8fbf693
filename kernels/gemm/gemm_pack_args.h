// SPDX-License-Identifier: MIT
// Declares the arguments of gemm_pack, shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_GEMM_PACK_ARGS_H
#define WT_KERNELS_GEMM_PACK_ARGS_H

#include "sched/divisor.h"

// A piece is 16 bytes of a row that is written. Work-groups: x = pieces of all rows of a matrix,
// WT_PACK_PIECES of them in each; z = matrix of the batch.
enum {
  WT_PACK_PIECE = 16,
  WT_PACK_LEAST_ROW = 20,  // bytes of a row, at least: the dwords that a piece may lie in
  WT_PACK_THREADS = 256,
  WT_PACK_TOGETHER = 4,  // pieces of a thread
  WT_PACK_PIECES = WT_PACK_THREADS * WT_PACK_TOGETHER
};

// Rows of `row_bytes` bytes at any addresses are copied to rows of whole pieces at multiples of 16 bytes,
// with zeros behind their ends. All sizes are in bytes.
typedef struct wt_gemm_pack_args {
  const void *from;
  void *to;
  long long from_row, to_row;  // from one row to the next
  long long from_batch, to_batch;
  int row_bytes;
  int rows, batch;
  wt_divisor pieces_row;  // of a row
} wt_gemm_pack_args;

#endif
