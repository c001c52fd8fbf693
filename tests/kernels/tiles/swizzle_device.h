// SPDX-License-Identifier: MIT
// Declares what swizzle_device.c asks of the kernels in swizzle_device.hip, and their answers.
#ifndef WT_TESTS_KERNELS_SWIZZLE_DEVICE_H
#define WT_TESTS_KERNELS_SWIZZLE_DEVICE_H

enum {
  LANES = 64,
  CHIPS = 2,
  LDS_OPS = 12,
  SWIZZLES = 6,
  ACCESSES = 3,
  OFFSET_BITS = 18,
  TOUCHED_BYTES = 32768
};

// Describes what the device tables say of one LDS instruction on one chip.
typedef struct lds_table {
  int exists, bytes, banks, phases;
  int phase[LANES];
} lds_table;

typedef struct conflict_case {
  int chip, op;
  int offset[LANES];
} conflict_case;

typedef struct swizzle_case {
  int chip[ACCESSES], op[ACCESSES], lane_bit[ACCESSES][6];
  int row_bytes, period;
} swizzle_case;

typedef struct swizzle_answer {
  int outcome;                      // 0 found, 1 impossible, 2 gave up
  int by_count;                     // impossible already by counting
  int simple;                       // one and/shift/xor does it
  unsigned target[2][OFFSET_BITS];  // the solution, and that of the full search
} swizzle_answer;

#endif
