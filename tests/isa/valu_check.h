// SPDX-License-Identifier: MIT
// Lists vector operations with a C expression each, written from the manual's pseudocode, and compares them
// with the simulated device on edge and random values.
#ifndef WT_TESTS_ISA_VALU_CHECK_H
#define WT_TESTS_ISA_VALU_CHECK_H

#include "tests/isa/valu_text.h"

// Holds what one lane sees. Sources stand in v[2:3], v[4:5] and v[6:7], the old destination in v[0:1].
typedef struct valu_lane {
  uint64_t a, b, c, old;
  uint64_t vcc;  // the whole mask, and s[10:11] holds the same
  uint32_t mode;
  unsigned lane;
} valu_lane;

typedef uint64_t valu_want(const valu_lane *x);

// Says what the result is, for its width and for NaN: of a float type, any quiet NaN will do where one is
// expected, for the manual leaves open which.
typedef enum valu_result {
  VALU_B32,
  VALU_B64,
  VALU_F16,  // the high half must match exactly
  VALU_PKF16,
  VALU_F32,
  VALU_PKF32,
  VALU_F64,
  VALU_VCC  // the carry of an operation that writes VCC: bit 32 of the expectation; bits 31:0 the result
} valu_result;

typedef struct valu_op {
  const char *code;
  uint8_t chips;  // SIM_ON_*
  uint8_t result;
  valu_want *want;
} valu_op;

// Runs every operation on the chips it is for, under each MODE: on all pairs of edge operands, then `rounds`
// times on 64 random lanes.
void valu_check(const valu_op *ops, size_t count, const uint32_t *modes, size_t mode_count, int rounds);

// X(name, "assembly", chips, result, expression) lists: the expression sees a, b, c and old as uint32_t, x.
#define VALU_DEFINE(name, code, chips, result, ...)                            \
  static uint64_t want_##name(const valu_lane *x) {                            \
    const uint32_t a = (uint32_t)x->a, b = (uint32_t)x->b, c = (uint32_t)x->c; \
    const uint32_t old = (uint32_t)x->old;                                     \
    (void)a, (void)b, (void)c, (void)old;                                      \
    return (uint64_t)(__VA_ARGS__);                                            \
  }
#define VALU_ROW(name, code, chips, result, ...) {code, SIM_ON_##chips, VALU_##result, want_##name},

#endif
