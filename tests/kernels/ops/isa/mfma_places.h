// SPDX-License-Identifier: MIT
// Where a matrix instruction has an element of its operands and results: the rules of CDNA4 ISA 7.1.4 from
// element to lane and register, for the programs that check instructions and layouts against them.
#ifndef WT_TESTS_KERNELS_ISA_MFMA_PLACES_H
#define WT_TESTS_KERNELS_ISA_MFMA_PLACES_H

#include <stdbool.h>

typedef struct isa_place {
  int lane, item;
} isa_place;

// Returns the place of element (row, k) of an operand of `rows` rows, of one of `blocks` blocks. two_runs:
// 8-bit floats of the f8f6f4 instructions, two runs of 16, half of `deep` apart.
static inline isa_place isa_place_operand(int rows, int deep, int blocks, bool two_runs, int block, int row,
                                          int k) {
  const int groups = 64 / (rows * blocks), per_group = deep / groups;
  int group = k / per_group, item = k % per_group;
  if (two_runs) {
    group = k % (deep / 2) / 16;
    item = k / (deep / 2) * 16 + k % 16;
  }
  return (isa_place){row + rows * (block + blocks * group), item};
}

// Returns the place of element (row, column) of D and C of one block, m x n. Groups of `height` rows, 4 (f64:
// 1), and all columns take n lanes; blocks too small to fill 64 lanes lie side by side.
static inline isa_place isa_place_result(int m, int n, int height, int block, int row, int column) {
  const int group = row / height, lane_groups = 64 / n;
  if (m / height >= lane_groups) {
    return (isa_place){column + n * (group % lane_groups),
                       block * (m * n / 64) + group / lane_groups * height + row % height};
  }
  const int side_by_side = lane_groups / (m / height);
  return (isa_place){column + n * (block % side_by_side + side_by_side * group),
                     block / side_by_side * height + row % height};
}

#endif
