// SPDX-License-Identifier: MIT
// Declares the arguments of gemm_pack, shared by host (C) and device (HIP C++).
#ifndef WT_KERNELS_GEMM_PACK_ARGS_H
#define WT_KERNELS_GEMM_PACK_ARGS_H

#include "sched/divisor.h"

// A piece is 16 bytes of a row that is written. Work-groups: x = pieces of all rows of a matrix,
// WT_PACK_PIECES of them in each; y = operand; z = matrix of the batch. The grid is as large as the larger
// operand needs: work-groups that have nothing of their operand end at once.
enum {
  WT_PACK_PIECE_BYTES = 16,
  WT_PACK_LEAST_ROW_BYTES = 20,  // of a row, at least: the dwords that a piece may lie in
  WT_PACK_THREADS = 256,
  WT_PACK_TOGETHER = 4,  // pieces of a thread
  WT_PACK_PIECES = WT_PACK_THREADS * WT_PACK_TOGETHER
};

// Rows of `row_bytes` bytes at any addresses are copied to rows of whole pieces at multiples of 16 bytes,
// with zeros behind their ends.
typedef struct wt_gemm_pack_operand {
  const void *from;
  void *to;
  long long from_row_bytes, to_row_bytes;  // from one row to the next
  long long from_batch_bytes, to_batch_bytes;
  int row_bytes;
  int rows, batch;
  wt_divisor pieces_row;  // of a row
} wt_gemm_pack_operand;

enum { WT_PACK_OPERANDS = 2 };  // of a launch, at most

typedef struct wt_gemm_pack_args {
  wt_gemm_pack_operand operand[WT_PACK_OPERANDS];
} wt_gemm_pack_args;

#endif
