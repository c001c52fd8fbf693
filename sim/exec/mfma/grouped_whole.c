// SPDX-License-Identifier: MIT
// Adds groups of products where no bit is lost on the way to a sum: the values of A and B are whole numbers
// of 16 bits in units of their own, and C is one in the product of these units. This is how 8-bit data of
// moderate range, and all 6- and 4-bit data, behave; the order in which the hardware adds then does not
// matter, but each group is still rounded to f32.
#include "sim/exec/mfma/columns.h"
#include "sim/exec/mfma/grouped.h"

enum { ROWS = 4 };  // done at a time, for each value of B that is loaded

static float power_of(int exponent) { return sim_f32((uint32_t)(exponent + 127) << 23); }

// Returns whether no bit of C is lost: it is a multiple of 2^last, and so small that totals have no more than
// 31 bits of fraction above the unit.
static bool exact_c(const sim_mfma_grouped *g, const float *const c[16]) {
  const float units = power_of(-g->last), most = power_of(g->unit + 31);
  ints lost = {0};
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; j += COLUMNS) {
      const floats x = load_floats(c[i] + j), size = (floats)((ints)x & INT32_MAX), scaled = size * units;
      const ints fine = scaled < 0x1p24f;  // with 24 bits of its own, a larger C is a multiple
      const ints whole = __builtin_convertvector(choose(fine, scaled, (floats){0}), ints);
      lost |= ~(size < most) | (fine & (__builtin_convertvector(whole, floats) != scaled));
    }
  return !any_set(lost);
}

// sum + dot in f64, rounded once.
ALWAYS_INLINE floats add_wide(floats sum, ints dot) {
  doubles total[2], more[2];
  widen_floats(sum, total);
  widen_ints(dot, more);
  for (int n = 0; n < 2; ++n) total[n] += more[n];
  return narrow(total);
}

// Adds one group to ROWS rows of COLUMNS sums. a, b: pairs of the first row and column.
ALWAYS_INLINE void add_pairs(const int32_t *a, const int32_t *b, size_t stride, int count, floats sum[ROWS]) {
  enum { NARROW = 1 << 24 };  // f32 holds whole numbers up to this one
  ints dot[ROWS] = {{0}}, wide = {0};
  for (int n = 0; n < count; ++n, a += stride, b += stride) {
    const ints right = load_ints(b);
    UNROLL for (int i = 0; i < ROWS; ++i) dot[i] += multiply_pairs((ints){0} + a[i], right);
  }
  UNROLL for (int i = 0; i < ROWS; ++i) wide |= (dot[i] + NARROW) & ~(2 * NARROW - 1);
  if (any_set(wide)) {
    UNROLL for (int i = 0; i < ROWS; ++i) sum[i] = add_wide(sum[i], dot[i]);
  } else {
    UNROLL for (int i = 0; i < ROWS; ++i) sum[i] += __builtin_convertvector(dot[i], floats);
  }
}

bool SIM_VARIANT_NAME(sim_mfma_add_whole)(const sim_mfma_grouped *g, size_t at_a, size_t at_b, size_t stride,
                                          int depth, const float *const c[16], float *const d[16]) {
  if (!exact_c(g, c)) return false;
  const float unit = power_of(g->unit), units = power_of(-g->unit);
  const int pairs = depth / 2, size = g->grouping.size / 2;
  for (int row = 0; row < 16; row += ROWS)
    for (int column = 0; column < 16; column += COLUMNS) {
      const int32_t *a = g->a.pair + at_a + row, *b = g->b.pair + at_b + column;
      floats sum[ROWS];
      // + 0: a sum of zeros is +0.
      UNROLL for (int i = 0; i < ROWS; ++i) sum[i] = load_floats(c[row + i] + column) * units + 0.0f;
      for (int n = 0; n < pairs; n += size) {
        const size_t skip = (size_t)n * stride;
        add_pairs(a + skip, b + skip, stride, pairs - n < size ? pairs - n : size, sum);
      }
      UNROLL for (int i = 0; i < ROWS; ++i) {
        const floats result = sum[i] * unit;
        memcpy(d[row + i] + column, &result, sizeof result);
      }
    }
  return true;
}
