// SPDX-License-Identifier: MIT
#include "mfma_groups.h"

#include <float.h>
#include <math.h>

enum {
  FRACTION = 24,      // bits that a product, and C, keep behind the binary point
  WIDE_FRACTION = 31  // bits that their sum keeps
};

typedef struct parts {
  double significand;  // 1 <= |significand| < 2, less for subnormals
  int exponent;
} parts;

int ref_group_size(ref_type type) {
  switch (type) {
    case REF_XF32: return 4;
    case REF_F16:
    case REF_BF16: return 8;
    case REF_FP8:
    case REF_BF8:
    case REF_FP6:
    case REF_BF6:
    case REF_FP4:
    case REF_F8F6F4: return 16;
    default: return 0;
  }
}

// Returns the exponent of the smallest normal number.
static int least_exponent(ref_type type, bool ocp) {
  switch (type) {
    case REF_F16: return -14;
    case REF_FP8: return ocp ? -6 : -7;
    case REF_BF8: return ocp ? -14 : -15;
    case REF_BF6: return -2;
    case REF_FP6:
    case REF_FP4: return 0;
    default: return -126;  // those with the exponents of f32
  }
}

static parts take_apart(double x, int least) {
  int exponent;
  const double half = frexp(x, &exponent);
  if (x == 0 || exponent - 1 < least) return (parts){ldexp(x, -least), least};
  return (parts){2 * half, exponent - 1};
}

static double round_down(double x, int fraction) { return ldexp(floor(ldexp(x, fraction)), -fraction); }

// Adds every `step`th product from `first` on: each is truncated to FRACTION bits behind the point of the
// largest. A zero has no exponent.
static parts sum_products(const ref_group *g, int first, int step) {
  parts product[REF_MOST_PRODUCTS], sum = {0, -9999};
  int scale = g->scale == 1 ? 0 : ilogb(g->scale);
  for (int i = first; i < g->count; i += step) {
    parts a = take_apart(g->a[i], least_exponent(g->type_a, g->ocp)),
          b = take_apart(g->b[i], least_exponent(g->type_b, g->ocp));
    product[i] = (parts){a.significand * b.significand, a.exponent + b.exponent + scale};
    if (product[i].significand != 0 && product[i].exponent > sum.exponent) sum.exponent = product[i].exponent;
  }
  for (int i = first; i < g->count; i += step)
    if (product[i].significand != 0)
      sum.significand += ldexp(
          trunc(ldexp(product[i].significand, FRACTION + product[i].exponent - sum.exponent)), -FRACTION);
  return sum;
}

// Returns what infinities and NaNs make of the sum; finite when there are none. Products of the types without
// halves overflow on their own from 2^128 on.
static double special_sum(const ref_group *g, float c, bool halves) {
  double sum = c;
  for (int i = 0; i < g->count; ++i) {
    double product = g->a[i] * g->b[i];
    if (!halves && fabs(product) >= ldexp(1, 128)) product = copysign(INFINITY, product);
    if (!isfinite(product)) sum += product;
  }
  return isnan(g->scale) ? (double)NAN : sum;
}

static bool all_finite(const ref_group *g, float c) {
  bool finite = isfinite(c) && isfinite(g->scale);
  for (int i = 0; i < g->count; ++i) finite &= isfinite(g->a[i]) && isfinite(g->b[i]);
  return finite;
}

static float add_finite(const ref_group *g, float c, bool halves) {
  parts dot;
  if (halves) {
    const parts even = sum_products(g, 0, 2), odd = sum_products(g, 1, 2);
    dot.exponent = even.exponent > odd.exponent ? even.exponent : odd.exponent;
    dot.significand = round_down(ldexp(even.significand, even.exponent - dot.exponent), FRACTION) +
                      round_down(ldexp(odd.significand, odd.exponent - dot.exponent), FRACTION);
  } else {
    dot = sum_products(g, 0, 1);
  }
  const parts old = take_apart(c, -126);
  const int largest = dot.exponent > old.exponent ? dot.exponent : old.exponent;
  double kept = round_down(ldexp(old.significand, old.exponent - largest), FRACTION);
  if (halves && old.exponent < largest - FRACTION - 1) kept = 0;
  const double sum = round_down(ldexp(dot.significand, dot.exponent - largest), WIDE_FRACTION + 1) + kept;
  // Sums are exact multiples of 2^-32; the range of f64 is enough for every type and scale.
  const parts result = take_apart(ldexp(sum, largest), -126);
  return sum == 0 ? 0 : (float)ldexp(round_down(result.significand, WIDE_FRACTION), result.exponent);
}

float ref_group_add(const ref_group *g, float c) {
  const bool halves = ref_group_size(g->type_a) == 16;
  const double special = special_sum(g, c, halves);
  float sum = isfinite(special) ? add_finite(g, c, halves) : (float)special;
  if (g->saturate && isinf(sum) && all_finite(g, c)) sum = copysignf(FLT_MAX, sum);
  return sum;
}
