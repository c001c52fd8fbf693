// SPDX-License-Identifier: MIT
// Products of one instruction added in groups, with the bits of the hardware (WT_SIM_MFMA=exact). grouped.c
// has the arithmetic of one element in integers, grouped_row.c the same for many elements at a time.
#ifndef SIM_EXEC_MFMA_GROUPED_H
#define SIM_EXEC_MFMA_GROUPED_H

#include "sim/exec/mfma/mfma.h"

// Says how the products of an element type are added: `size` at a time, and those of even and odd k apart.
typedef struct sim_mfma_grouping {
  uint8_t size;  // 0: one after the other, each with one rounding
  bool halves;
} sim_mfma_grouping;

// Describes A or B of one instruction. Exponents are those that the format gives a value: that of the
// smallest normal number for a subnormal.
typedef struct sim_mfma_operand {
  const float *value;
  size_t count;
  int least;      // exponent of the format's smallest normal number
  int fraction;   // bits of its fraction
  int low, high;  // the smallest and the largest exponent of a value that is not zero
  bool zero;      // all values are
  bool finite;
  // This holds 2^exponent of each value, 0 for a zero; exponents below SIM_MFMA_LEAST_POWER are raised to it.
  _Alignas(64) float power[SIM_MFMA_VALUES];
  // This holds two values of neighbouring k, of 16 bits each, in units of the operand.
  _Alignas(64) int32_t pair[SIM_MFMA_VALUES / 2];
} sim_mfma_operand;

enum { SIM_MFMA_LEAST_POWER = -63 };

typedef struct sim_mfma_grouped {
  sim_mfma_grouping grouping;
  sim_mfma_operand a, b;
  bool lanes;   // sim_mfma_add_row may be used
  bool powers;  // the operands' powers are there
  bool whole;   // products are whole multiples of 2^unit and lose no bits in the sum of a group; pairs are
                // there
  float doubt;  // a largest product below this power (and not zero) is one that sim_mfma_add_row cannot judge
  int unit, last;  // last: the exponent of the last bit that any product can keep
} sim_mfma_grouped;

// E8M0 scales of rows of A and columns of B for each 32 values of k: exponents, or SIM_MFMA_NO_SCALE for a
// NaN.
typedef struct sim_mfma_scales {
  int16_t a[4][32], b[4][32];
} sim_mfma_scales;
enum { SIM_MFMA_NO_SCALE = INT16_MAX };

sim_mfma_grouping SIM_VARIANT_NAME(sim_mfma_grouping_of)(sim_elem elem);

// Prepares g for operands of these types; then for their values; then, where they need it, their powers.
void SIM_VARIANT_NAME(sim_mfma_group)(sim_mfma_grouped *g, sim_elem elem_a, sim_elem elem_b, sim_chip chip);
void SIM_VARIANT_NAME(sim_mfma_measure)(sim_mfma_grouped *g, const float *a, size_t count_a, const float *b,
                                        size_t count_b);
void SIM_VARIANT_NAME(sim_mfma_make_powers)(sim_mfma_grouped *g);

// Describes the products of one element: left[n * left_step] * right[n * right_step], n from 0 to count - 1,
// at most a group.
typedef struct sim_mfma_terms {
  const float *left, *right;
  size_t left_step, right_step;
  int count;
  int scale;  // exponent that is added to that of each product, or SIM_MFMA_NO_SCALE
} sim_mfma_terms;

// Returns c plus one group of products.
float SIM_VARIANT_NAME(sim_mfma_add_group)(const sim_mfma_grouped *g, const sim_mfma_terms *t, unsigned flags,
                                           float c);

// Does the same for 16 columns: adds to acc[0 .. 15]. Lanes whose sum it cannot vouch for become set in
// `doubtful`.
typedef struct sim_mfma_row {
  const float *left, *left_power;    // of the first product
  const float *right, *right_power;  // 16 columns of the first product
  size_t left_step, right_step;      // to the next product
  const uint16_t *right_at;          // or NULL: offsets of the products from `right`, instead of right_step
  int count;
  const float *scale;  // 2^n for 16 columns, or NULL
} sim_mfma_row;
void SIM_VARIANT_NAME(sim_mfma_add_row)(const sim_mfma_grouped *g, const sim_mfma_row *row, float *acc,
                                        uint32_t *doubtful);

// Finds out whether the products are whole, and makes pairs then: `width` values of each of `depth` k.
void SIM_VARIANT_NAME(sim_mfma_make_whole)(sim_mfma_grouped *g, size_t width, size_t depth);
// Computes d = c + a * b for a tile of 16x16 where products are whole; at_a and at_b count pairs. Returns
// false, and does nothing, where bits of C would be lost.
bool SIM_VARIANT_NAME(sim_mfma_add_whole)(const sim_mfma_grouped *g, size_t at_a, size_t at_b, size_t stride,
                                          int depth, const float *const c[16], float *const d[16]);

// Computes d = c + a * b for a tile of 16x16 at offsets into the operands, as sim_mfma_tile. scales: NULL, or
// those of the instruction with the tile's first row and column.
void SIM_VARIANT_NAME(sim_mfma_grouped_tile)(sim_mfma_grouped *g, size_t at_a, size_t at_b, size_t stride,
                                             int depth, const sim_mfma_scales *scales, int row, int column,
                                             unsigned flags, const float *const c[16], float *const d[16]);

#endif
