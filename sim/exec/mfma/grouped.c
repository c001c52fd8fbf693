// SPDX-License-Identifier: MIT
// Adds groups of products as CDNA3's matrix cores do: one element at a time, in integers, for any operands.
//
// The hardware's arithmetic is what MMA-Sim found by tests on an MI300X (Xie et al., "Bit-Accurate Modeling
// of GPU Matrix Multiply-Accumulate Units", arXiv 2511.10909, algorithms TR-FDPA and GTR-FDPA, and the
// repository of the same name, which differs from the paper's text in one rounding and has been tested with
// random bits):
//  - products are exact, with the sum of the exponents of their factors, and are truncated 24 bits behind the
//    point of the largest exponent; 8-bit types do this for even and odd k apart, and round both sums down
//    to that of the larger exponent;
//  - C is rounded down 24 bits behind the point of the largest exponent, C's among them (for 8-bit types it
//    becomes zero where it lies more than 25 below), the sum of products to 32 bits behind it;
//  - their sum is rounded down to 31 bits of fraction, then to f32, to nearest even.
// Zeros have no exponent. Subnormals are kept. A product of bf16 or xf32 from 2^128 on is an infinity. A sum
// of zero is +0. gfx950, the 6- and 4-bit types, block scales (their exponents add to those of the products),
// SMFMAC and FP16_OVFL are extrapolated.
#include "sim/exec/mfma/grouped.h"

#include <float.h>
#include <math.h>

enum {
  FRACTION = 24,
  SUM_FRACTION = 32,    // of the sum of products, behind the point of the largest exponent
  TOTAL_FRACTION = 31,  // of the normalised sum with C
  F32_FRACTION = 23,
  F32_LEAST = -126,
  NO_EXPONENT = -9999
};

typedef struct parts {
  int64_t significand;  // times 2^(exponent - F32_FRACTION)
  int exponent;
} parts;

static parts take_apart(float x, int least) {
  const uint32_t bits = sim_bits32(x) & INT32_MAX;
  int64_t significand = bits & 0x7fffff;
  int exponent = (int)(bits >> 23) - 127;
  if (exponent < F32_LEAST)
    exponent = F32_LEAST;
  else
    significand |= 0x800000;
  if (exponent < least) {  // a subnormal of its format: the bits that leave are zeros
    significand = least - exponent > F32_FRACTION ? 0 : significand >> (least - exponent);
    exponent = least;
  }
  return (parts){x < 0 ? -significand : significand, exponent};
}

// Rounds down, as an arithmetic shift does.
static int64_t shift_down(int64_t x, int count) { return x >> (count > 63 ? 63 : count); }

// The sum of products, times 2^(exponent - FRACTION).
static parts sum_products(const sim_mfma_grouped *g, const sim_mfma_terms *t, int first, int step) {
  parts product[16], sum = {0, NO_EXPONENT};
  for (int n = first; n < t->count; n += step) {
    const parts a = take_apart(t->left[(size_t)n * t->left_step], g->a.least),
                b = take_apart(t->right[(size_t)n * t->right_step], g->b.least);
    product[n] = (parts){a.significand * b.significand, a.exponent + b.exponent + t->scale};
    if (product[n].significand && product[n].exponent > sum.exponent) sum.exponent = product[n].exponent;
  }
  for (int n = first; n < t->count; n += step) {
    const int64_t p = product[n].significand;
    if (!p) continue;
    const int64_t size =
        shift_down(p < 0 ? -p : p, 2 * F32_FRACTION - FRACTION + sum.exponent - product[n].exponent);
    sum.significand += p < 0 ? -size : size;
  }
  return sum;
}

static parts sum_group(const sim_mfma_grouped *g, const sim_mfma_terms *t) {
  if (!g->grouping.halves) return sum_products(g, t, 0, 1);
  const parts even = sum_products(g, t, 0, 2), odd = sum_products(g, t, 1, 2);
  const int exponent = even.exponent > odd.exponent ? even.exponent : odd.exponent;
  return (parts){shift_down(even.significand, exponent - even.exponent) +
                     shift_down(odd.significand, exponent - odd.exponent),
                 exponent};
}

// Adds infinities and NaNs, when there are any: then the sum is not finite.
static float special_sum(const sim_mfma_grouped *g, const sim_mfma_terms *t, float c) {
  float sum = t->scale == SIM_MFMA_NO_SCALE ? NAN : c;
  for (int n = 0; n < t->count; ++n) {
    const float left = t->left[(size_t)n * t->left_step], right = t->right[(size_t)n * t->right_step];
    const double product = (double)left * right;
    if (!isfinite(product))
      sum += (float)product;
    else if (!g->grouping.halves && fabs(product) >= 0x1p128)
      sum += copysignf(INFINITY, (float)product);
  }
  return sum;
}

static float add_finite(const sim_mfma_grouped *g, const sim_mfma_terms *t, float c) {
  const parts dot = sum_group(g, t), old = take_apart(c, F32_LEAST);
  const int exponent = dot.exponent > old.exponent ? dot.exponent : old.exponent;
  int64_t kept = shift_down(old.significand * (1 << (FRACTION - F32_FRACTION)), exponent - old.exponent);
  if (g->grouping.halves && old.exponent < exponent - FRACTION - 1) kept = 0;
  const int64_t unit = (int64_t)1 << (SUM_FRACTION - FRACTION);
  int64_t sum = shift_down(dot.significand * unit, exponent - dot.exponent) + kept * unit;
  if (!sum) return 0;
  // This is the exponent of the normalised sum, above that of its last bit.
  int above = 63 - __builtin_clzll((unsigned long long)(sum < 0 ? -sum : sum));
  const int last = exponent - SUM_FRACTION;
  if (last + above < F32_LEAST) above = F32_LEAST - last;
  if (above > TOTAL_FRACTION) {
    const int64_t lost = ((int64_t)1 << (above - TOTAL_FRACTION)) - 1;
    sum &= ~lost;
  }
  return (float)ldexp((double)sum, last);
}

float SIM_VARIANT_NAME(sim_mfma_add_group)(const sim_mfma_grouped *g, const sim_mfma_terms *t, unsigned flags,
                                           float c) {
  const float special = special_sum(g, t, c);
  float sum = isfinite(special) ? add_finite(g, t, c) : special;
  if (flags & SIM_MFMA_SATURATE && isinf(sum)) {
    bool finite = isfinite(c);
    for (int n = 0; n < t->count; ++n)
      finite &= isfinite(t->left[(size_t)n * t->left_step]) && isfinite(t->right[(size_t)n * t->right_step]);
    if (finite) sum = copysignf(FLT_MAX, sum);
  }
  return sim_canonical(sum);
}
