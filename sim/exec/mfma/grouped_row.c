// SPDX-License-Identifier: MIT
// Adds groups of products for 16 columns at a time (grouped.c says what the hardware does).
//
// With P the power of two of a column's largest product, a product times 2^24 / P is truncated by its
// conversion to an integer, and a group's sum fits into 32 bits. What f32 and f64 cannot hold exactly is
// marked as doubtful: the caller computes these elements one at a time.
#include "sim/exec/mfma/columns.h"
#include "sim/exec/mfma/grouped.h"

enum { FRACTION = 24, EXPONENT = 0x7f800000, EXPONENT_BIT = 23, MOST_SHIFT = 31 };

// Returns 2^24 / power for a power of two in [2^-79, 2^100].
ALWAYS_INLINE floats units_of(floats power) {
  return (floats)(((2 * 127u + FRACTION) << EXPONENT_BIT) - (uints)power);
}

// Rounds down x, which is in the range of int32_t.
ALWAYS_INLINE ints round_down(floats x) {
  const ints toward_zero = __builtin_convertvector(x, ints);
  return toward_zero + (__builtin_convertvector(toward_zero, floats) > x);
}

// x / 2^n, rounded down, for two powers of two of which the second is 2^n times the first.
ALWAYS_INLINE ints shift_down(ints x, floats from, floats to) {
  const ints count = ((ints)to - (ints)from) >> EXPONENT_BIT;
  return x >> choose_ints(count > MOST_SHIFT, (ints){0} + MOST_SHIFT, count);
}

typedef struct sums {
  floats power;  // of the largest product; 1 where all are zero
  ints sum;      // in units of 2^-24 of it
  ints zero;     // all products are zero
} sums;

// Says what is known of a row where the function is inlined.
typedef struct form {
  int count;
  bool halves, gather;
} form;

ALWAYS_INLINE size_t right_of(const sim_mfma_row *r, form f, int n, int column) {
  return (f.gather ? r->right_at[n] : (size_t)n * r->right_step) + (size_t)column;
}

// Returns every `step`th product from `first` on.
ALWAYS_INLINE sums sum_products(const sim_mfma_grouped *g, const sim_mfma_row *r, form f, int column,
                                int first, int step, ints *doubtful) {
  floats power = {0};
  for (int n = first; n < f.count; n += step) {
    const float left = r->left_power[(size_t)n * r->left_step];
    power = larger(power, left * load_floats(r->right_power + right_of(r, f, n, column)));
  }
  sums s = {.zero = power == 0};
  const ints known = power >= g->doubt;
  *doubtful |= ~(known | s.zero);
  s.power = choose(known, power, (floats){0} + 1);
  const floats units = units_of(s.power);
  for (int n = first; n < f.count; n += step) {
    const float left = r->left[(size_t)n * r->left_step];
    const floats right = load_floats(r->right + right_of(r, f, n, column));
    s.sum += __builtin_convertvector(left * right * units, ints);
  }
  return s;
}

ALWAYS_INLINE sums sum_group(const sim_mfma_grouped *g, const sim_mfma_row *r, form f, int column,
                             ints *doubtful) {
  if (!f.halves) return sum_products(g, r, f, column, 0, 1, doubtful);
  const sums even = sum_products(g, r, f, column, 0, 2, doubtful),
             odd = sum_products(g, r, f, column, 1, 2, doubtful);
  // The power of a half without products is that of the other half.
  const floats even_power = choose(even.zero, odd.power, even.power),
               odd_power = choose(odd.zero, even_power, odd.power), power = larger(even_power, odd_power);
  return (sums){.power = power,
                .sum = shift_down(even.sum, even_power, power) + shift_down(odd.sum, odd_power, power),
                .zero = even.zero & odd.zero};
}

// Rounds down to 31 bits of fraction.
ALWAYS_INLINE doubles keep_fraction(doubles x) {
  const int64_t lost = ((int64_t)1 << (52 - 31)) - 1;
  const longs bits = (longs)x;
  return (doubles)((bits + ((bits >> 63) & lost)) & ~lost);  // a negative number grows in magnitude
}

// Returns C plus the products, where C's exponent is the smaller one: both are integers in units of 2^-24 of
// the products' power.
ALWAYS_INLINE floats add_below(const sums *dot, floats c, floats c_power, ints below, bool halves) {
  ints kept = round_down(choose(below, c, (floats){0}) * units_of(dot->power));
  if (halves) kept &= c_power >= dot->power * 0x1p-25f;
  return __builtin_convertvector(dot->sum + kept, floats) * (dot->power * 0x1p-24f);
}

// Returns C plus the products, where C's exponent is not the smaller one. This is exact in f64 when the
// products end 32 bits behind C's point. Fewer than 32 bits remain of them where they begin less than 7 bits
// below C.
ALWAYS_INLINE floats add_above(const sums *dot, floats c, floats c_power) {
  const floats unit = dot->power * 0x1p-24f, last = larger(unit, c_power * 0x1p-32f);
  const ints sum = shift_down(dot->sum, unit, last);
  const bool keep = any_set(c_power >= dot->power * 0x1p7f);
  doubles total[2], sums_of[2], lasts[2];
  widen_floats(c, total);
  widen_ints(sum, sums_of);
  widen_floats(last, lasts);
  UNROLL for (int n = 0; n < 2; ++n) total[n] += sums_of[n] * lasts[n];
  if (keep) {
    UNROLL for (int n = 0; n < 2; ++n) total[n] = keep_fraction(total[n]);
  }
  return narrow(total);
}

ALWAYS_INLINE void add_columns(const sim_mfma_grouped *g, const sim_mfma_row *r, form f, int column,
                               float *acc, uint32_t *doubtful_out) {
  ints doubtful;
  memcpy(&doubtful, doubtful_out + column, sizeof doubtful);
  sums dot = sum_group(g, r, f, column, &doubtful);
  if (r->scale) {
    const floats power = dot.power * load_floats(r->scale + column);
    const ints known = (power >= 0x1p-79f) & (power <= 0x1p100f);
    doubtful |= ~known;
    dot.power = choose(known, power, dot.power);
  }
  const floats c = load_floats(acc + column);
  const ints exponent = (ints)c & EXPONENT, below = ((floats)exponent < dot.power) & ~dot.zero;
  doubtful |= exponent == EXPONENT;
  floats sum = {0};
  if (any_set(below)) sum = add_below(&dot, c, (floats)exponent, below, f.halves);
  if (any_set(~below)) sum = choose(below, sum, add_above(&dot, c, (floats)exponent));
  memcpy(acc + column, &sum, sizeof sum);
  memcpy(doubtful_out + column, &doubtful, sizeof doubtful);
}

ALWAYS_INLINE void add_row(const sim_mfma_grouped *g, const sim_mfma_row *row, form f, float *acc,
                           uint32_t *doubtful) {
  for (int column = 0; column < 16; column += COLUMNS) add_columns(g, row, f, column, acc, doubtful);
}

void SIM_VARIANT_NAME(sim_mfma_add_row)(const sim_mfma_grouped *g, const sim_mfma_row *row, float *acc,
                                        uint32_t *doubtful) {
  const form other = {row->count, g->grouping.halves, row->right_at != NULL};
  if (other.gather || row->count != g->grouping.size)
    add_row(g, row, other, acc, doubtful);
  else if (row->count == 16)
    add_row(g, row, (form){16, true, false}, acc, doubtful);
  else if (row->count == 8)
    add_row(g, row, (form){8, false, false}, acc, doubtful);
  else
    add_row(g, row, (form){4, false, false}, acc, doubtful);
}
