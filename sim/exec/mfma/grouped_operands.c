// SPDX-License-Identifier: MIT
// Prepares A and B of one instruction for adding products in groups: the range of their values, from which
// follows what is exact, then the form that the chosen way of adding needs.
#include <math.h>

#include "sim/exec/mfma/columns.h"
#include "sim/exec/mfma/grouped.h"

enum { EXPONENT = 0x7f800000 };

static int exponent_of(float x) { return (int)(sim_bits32(x) >> 23 & 255) - 127; }
static float power_of(int exponent) { return sim_f32((uint32_t)(exponent + 127) << 23); }

sim_mfma_grouping SIM_VARIANT_NAME(sim_mfma_grouping_of)(sim_elem elem) {
  switch (elem) {
    case SIM_ELEM_XF32: return (sim_mfma_grouping){4, false};
    case SIM_ELEM_F16:
    case SIM_ELEM_BF16: return (sim_mfma_grouping){8, false};
    case SIM_ELEM_FP8:
    case SIM_ELEM_BF8:
    case SIM_ELEM_FP6:
    case SIM_ELEM_BF6:
    case SIM_ELEM_FP4: return (sim_mfma_grouping){16, true};
    default: return (sim_mfma_grouping){0, false};
  }
}

static void read_format(sim_mfma_operand *o, sim_elem elem, sim_chip chip) {
  const int fnuz = chip == SIM_GFX942;  // a bias that is one larger
  switch (elem) {
    case SIM_ELEM_F16: o->least = -14, o->fraction = 10; break;
    case SIM_ELEM_BF16: o->least = -126, o->fraction = 7; break;
    case SIM_ELEM_FP8: o->least = -6 - fnuz, o->fraction = 3; break;
    case SIM_ELEM_BF8: o->least = -14 - fnuz, o->fraction = 2; break;
    case SIM_ELEM_FP6: o->least = 0, o->fraction = 3; break;
    case SIM_ELEM_BF6: o->least = -2, o->fraction = 2; break;
    case SIM_ELEM_FP4: o->least = 0, o->fraction = 1; break;
    default: o->least = -126, o->fraction = 10;  // xf32
  }
}

// Finds the range of the values.
static void measure(sim_mfma_operand *o, const float *values, size_t count) {
  floats high = {0}, low = (floats){0} + INFINITY;
  ints infinite = {0};
  o->value = values;
  o->count = count;
  for (size_t n = 0; n < count; n += COLUMNS) {
    const ints size = (ints)load_floats(values + n) & INT32_MAX;
    infinite |= size >= EXPONENT;
    high = larger(high, (floats)size);
    low = smaller(low, choose(size == 0, (floats){0} + INFINITY, (floats)size));
  }
  o->finite = true;
  o->high = o->low = o->least;
  float most = 0, fewest = INFINITY;
  for (int j = 0; j < COLUMNS; ++j) {
    o->finite &= !infinite[j];
    most = high[j] > most ? high[j] : most;
    fewest = low[j] < fewest ? low[j] : fewest;
  }
  o->zero = most == 0;
  if (o->zero || !o->finite) return;
  if (exponent_of(most) > o->least) o->high = exponent_of(most);
  if (exponent_of(fewest) > o->least) o->low = exponent_of(fewest);
}

// ---- pairs

// Returns the exponent of the unit of which every value is a whole multiple.
static int unit_of(const sim_mfma_operand *o) { return o->low - o->fraction; }

static void make_pairs(sim_mfma_operand *o, size_t width, size_t depth) {
  const float units = power_of(-unit_of(o));
  for (size_t k = 0; k < depth; k += 2)
    for (size_t i = 0; i < width; i += COLUMNS) {
      const float *even = o->value + k * width + i, *odd = even + width;
      const ints low = __builtin_convertvector(load_floats(even) * units, ints),
                 high = __builtin_convertvector(load_floats(odd) * units, ints),
                 pair = (low & 0xffff) | high << 16;
      memcpy(o->pair + k / 2 * width + i, &pair, sizeof pair);
    }
}

// Values are below 2^(high + 1), products below 2^(high + 2) with both exponents in high. A product keeps 24
// bits behind the point, a total 31.
static bool make_whole(sim_mfma_grouped *g, size_t width, size_t depth) {
  enum { BITS = 15 };
  if (!g->lanes || !g->grouping.halves || g->a.zero || g->b.zero) return false;
  g->unit = unit_of(&g->a) + unit_of(&g->b);
  g->last = g->a.high + g->b.high - 24;
  if (g->a.high + 1 - unit_of(&g->a) > BITS || g->b.high + 1 - unit_of(&g->b) > BITS || g->unit < g->last ||
      ldexp((double)depth, g->a.high + g->b.high + 2) > ldexp(1, g->unit + 31))
    return false;
  make_pairs(&g->a, width, depth);
  make_pairs(&g->b, width, depth);
  return true;
}

// ---- powers

static void make_powers_of(sim_mfma_operand *o) {
  const floats least =
      (floats){0} + power_of(o->least > SIM_MFMA_LEAST_POWER ? o->least : SIM_MFMA_LEAST_POWER);
  for (size_t n = 0; n < o->count; n += COLUMNS) {
    const ints size = (ints)load_floats(o->value + n) & INT32_MAX;
    const ints power = (size != 0) & (ints)larger((floats)(size & EXPONENT), least);
    memcpy(o->power + n, &power, sizeof power);
  }
}

void SIM_VARIANT_NAME(sim_mfma_make_powers)(sim_mfma_grouped *g) {
  if (g->powers) return;
  make_powers_of(&g->a);
  make_powers_of(&g->b);
  g->powers = true;
}

// ----

void SIM_VARIANT_NAME(sim_mfma_group)(sim_mfma_grouped *g, sim_elem elem_a, sim_elem elem_b, sim_chip chip) {
  g->grouping = SIM_VARIANT_NAME(sim_mfma_grouping_of)(elem_a);
  g->powers = g->whole = false;
  read_format(&g->a, elem_a, chip);
  read_format(&g->b, elem_b, chip);
}

void SIM_VARIANT_NAME(sim_mfma_measure)(sim_mfma_grouped *g, const float *a, size_t count_a, const float *b,
                                        size_t count_b) {
  enum { MOST = 50, LEAST_PRODUCT = -79 };
  measure(&g->a, a, count_a);
  measure(&g->b, b, count_b);
  g->lanes = g->a.finite && g->b.finite && g->a.high <= MOST && g->b.high <= MOST;
  // A product of f32 is exact from 2^-104 on, and one below is truncated to nothing where the largest is not
  // below 2^-79. A power that was raised must not be the largest.
  int doubt = LEAST_PRODUCT;
  const int high = g->a.high > g->b.high ? g->a.high : g->b.high;
  if ((g->a.low < SIM_MFMA_LEAST_POWER || g->b.low < SIM_MFMA_LEAST_POWER) &&
      SIM_MFMA_LEAST_POWER + high + 1 > doubt)
    doubt = SIM_MFMA_LEAST_POWER + high + 1;
  g->doubt = power_of(doubt);
}

void SIM_VARIANT_NAME(sim_mfma_make_whole)(sim_mfma_grouped *g, size_t width, size_t depth) {
  g->whole = make_whole(g, width, depth);
}
