// SPDX-License-Identifier: MIT
// The arguments of every GEMM kernel, shared by host (C) and device (HIP C++): C = alpha * A * B^T + beta * C
// per batch.
#ifndef WT_KERNELS_GEMM_ARGS_H
#define WT_KERNELS_GEMM_ARGS_H

// A(m,k) = a[m * a_row + k * a_col], B(n,k) = b[n * b_row + k * b_col], C(m,n) = c[m * c_row + n]; all
// strides in elements. Kernels that need K contiguous (a_col == b_col == 1) are marked so in the registry
// (src/kernels.c). Work-groups: x = tiles along N, y = tiles along M, z = batch. beta == 0 never reads C.
typedef struct wt_gemm_args {
  const void *a, *b;
  void *c;
  int m, n, k;
  float alpha, beta;  // per-tensor scales are already multiplied into alpha
  long long a_row, a_col, b_row, b_col, c_row;
  long long a_batch, b_batch, c_batch;
} wt_gemm_args;

#endif
