// SPDX-License-Identifier: MIT
// What the transposed reads of narrow elements and their check share: arguments, and the list of kernels.
#ifndef WT_TESTS_KERNELS_TRANSPOSED_READS_H
#define WT_TESTS_KERNELS_TRANSPOSED_READS_H

// `matrix` has the elements of a tile with k along its rows, one in each byte; `registers` gets the dwords of
// the register tile, those of lane l from l on, 64 apart.
typedef struct transposed_reads_args {
  const unsigned char *matrix;
  unsigned *registers;
  int column;  // the first column to read
} transposed_reads_args;

// Lists X(elements, rows of a fragment, its depth, fragments below and beside each other, columns of the LDS
// tile).
#define TRANSPOSED_READS_OF(X, T) X(T, 16, 128, 2, 1, 128) X(T, 32, 64, 2, 2, 256)
#define TRANSPOSED_READS_KERNELS(X) \
  TRANSPOSED_READS_OF(X, fp4e2m1)   \
  X(fp4e2m1, 16, 256, 1, 1, 64)     \
  TRANSPOSED_READS_OF(X, fp6e2m3) X(fp6e3m2, 32, 64, 1, 1, 64) TRANSPOSED_READS_OF(X, fp8e4m3)

#endif
