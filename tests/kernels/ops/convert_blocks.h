// SPDX-License-Identifier: MIT
// What the conversions of register tiles with block scales and their check share: arguments, and the list of
// kernels.
#ifndef WT_TESTS_KERNELS_CONVERT_BLOCKS_H
#define WT_TESTS_KERNELS_CONVERT_BLOCKS_H

// Describes a tile in memory: numbers, packed elements and scales, whose rows are packed.
typedef struct convert_blocks_args {
  void *numbers;
  unsigned char *q, *scale;
  int rounding;  // wt::scale_rounding
  unsigned long long seed, row;
  int column;  // of the tile's first element in the matrix that is rounded stochastically
} convert_blocks_args;

// X(numbers, elements, rows of a fragment, its depth, fragments below and beside each other, scales). There
// are three kernels of each: to blocks, rounded to nearest and stochastically, and from blocks.
#define CONVERT_BLOCKS_OF(X, Q)      \
  X(f32, Q, 16, 128, 2, 1, separate) \
  X(f16, Q, 32, 64, 1, 2, separate) X(bf16, Q, 32, 128, 2, 1, shuffled)
#define CONVERT_BLOCKS_KERNELS(X)           \
  CONVERT_BLOCKS_OF(X, fp8e4m3)             \
  CONVERT_BLOCKS_OF(X, fp6e2m3)             \
  CONVERT_BLOCKS_OF(X, fp4e2m1)             \
  X(f32, fp8e5m2, 16, 128, 1, 1, separate)  \
  X(bf16, fp8e5m2, 32, 128, 1, 1, separate) \
  X(f32, fp6e3m2, 16, 128, 1, 1, separate)  \
  X(f32, fp4e2m1, 16, 256, 1, 1, separate)

#endif
