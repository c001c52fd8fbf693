// SPDX-License-Identifier: MIT
// Declares the arguments of every GEMM kernel for host (C) and device (HIP C++), per batch: C =
// activation(row_scale * column_scale * alpha * A * B^T + beta * C + bias)
#ifndef WT_KERNELS_GEMM_ARGS_H
#define WT_KERNELS_GEMM_ARGS_H

#include "sched/grid.h"

// Lists the numbers of wt_activation (wavetile.h).
enum { WT_KERNEL_IDENTITY = 0, WT_KERNEL_RELU = 1, WT_KERNEL_GELU = 2, WT_KERNEL_SILU = 3 };

// Lists the numbers of wt_type that C may have (wavetile.h).
enum { WT_KERNEL_BF16 = 5, WT_KERNEL_F16 = 6, WT_KERNEL_F32 = 7, WT_KERNEL_I32 = 9 };

// Takes A(m,k) = a[m * a_row + k * a_col], B(n,k) = b[n * b_row + k * b_col], C(m,n) = c[m * c_row + n]; all
// strides are in elements. Kernels that need K contiguous (a_col == b_col == 1) are marked so in the registry
// (src/gemm/kernels.c). beta == 0 never reads C.
//
// Work-groups: the rungs of the ladder (examples/gemm) take x = tiles along N, y = tiles along M, z = batch.
// All others take x = position in `grid`, y = part of the K axis, z = batch; in a persistent kernel x is the
// first of the positions that the work-group takes.
//
// Split K: part p sums k from p * k_part on and writes to c + p * c_part. k_part is k and c_part 0 when there
// is one part.
//
// What a work-group needs to find its tile and to load it lies together and first, so that it is read by a
// few instructions that all wait once. A kernel's first loads miss the caches: another wait is some 1,000
// cycles.
typedef struct wt_gemm_args {
  const void *a, *b;
  void *c;
  int m, n, k, k_part;
  long long a_row, a_col, b_row, b_col, c_row;
  long long a_batch, b_batch, c_batch;
  wt_grid_map grid;                              // of the tiles of C
  float alpha, beta;                             // per-tensor scales are already multiplied into alpha
  int type_c;                                    // WT_KERNEL_* type
  int activation;                                // WT_KERNEL_* activation
  const float *row_scale, *column_scale, *bias;  // m, n and n elements; null when there is none
  long long c_part;
  int groups;  // work-groups in x of a persistent kernel; each takes every groups-th position in `grid`
} wt_gemm_args;

#endif
