// SPDX-License-Identifier: MIT
// What the products with block scales and their check share: arguments, and the list of kernels.
#ifndef WT_TESTS_KERNELS_MMA_SCALED_H
#define WT_TESTS_KERNELS_MMA_SCALED_H

// The tiles of A and B have so many rows, or fewer.
#define WT_MMA_SCALED_SIZE 32

// Computes C (m x n, packed) = A (m x 32 blocks) * B^T; rows of A, B and the scales are packed.
typedef struct mma_scaled_args {
  const unsigned char *a, *a_scale, *b, *b_scale;
  float *c;
  int m, n, blocks;
} mma_scaled_args;

// Calls X(A, B, rows of a fragment, depth of a fragment, how C is held) for each kernel.
#define MMA_SCALED_WITH(X, A, ROWS, DEPTH, HELD) \
  X(A, fp8e4m3, ROWS, DEPTH, HELD)               \
  X(A, fp8e5m2, ROWS, DEPTH, HELD)               \
  X(A, fp6e2m3, ROWS, DEPTH, HELD)               \
  X(A, fp6e3m2, ROWS, DEPTH, HELD) X(A, fp4e2m1, ROWS, DEPTH, HELD)
#define MMA_SCALED_PAIRS(X, ROWS, DEPTH, HELD)   \
  MMA_SCALED_WITH(X, fp8e4m3, ROWS, DEPTH, HELD) \
  MMA_SCALED_WITH(X, fp8e5m2, ROWS, DEPTH, HELD) \
  MMA_SCALED_WITH(X, fp6e2m3, ROWS, DEPTH, HELD) \
  MMA_SCALED_WITH(X, fp6e3m2, ROWS, DEPTH, HELD) \
  MMA_SCALED_WITH(X, fp4e2m1, ROWS, DEPTH, HELD)
#define MMA_SCALED_KERNELS(X)        \
  MMA_SCALED_PAIRS(X, 16, 128, as_c) \
  MMA_SCALED_PAIRS(X, 32, 64, as_ct) \
  X(fp4e2m1, fp4e2m1, 16, 256, as_ct)
// Does the same for kernels whose A is of bf16, without scales.
#define MMA_WIDENED_KERNELS(X)     \
  X(bf16, fp4e2m1, 16, 128, as_c)  \
  X(bf16, fp4e2m1, 32, 64, as_ct)  \
  X(bf16, fp4e2m1, 32, 128, as_ct) \
  X(bf16, fp4e2m1, 32, 128, as_pinned)

#endif
