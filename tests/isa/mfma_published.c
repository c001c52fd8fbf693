// SPDX-License-Identifier: MIT
// Compares sums of one element with those that an MI300X gave: what the authors of MMA-Sim (arXiv 2511.10909)
// printed in tests/probe/probe_amd_cdna3.ipynb of their repository (commit 0cb78465,
// v_mfma_f32_16x16x32_fp8_fp8), and the example of their paper that tells architectures apart (equation 10
// and table 8).
#include <math.h>

#include "mfma_ops.h"

typedef struct product {
  int k;
  double a, b;
} product;

typedef enum instruction { FP8, BF8, F16, BF16, INSTRUCTIONS } instruction;

static const struct {
  const char *code;
  ref_type type;
  int k, per_lane;
} instructions[INSTRUCTIONS] = {
    [FP8] = {"v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[0:1], v[2:3], v[4:7]", REF_FP8, 32, 8},
    [BF8] = {"v_mfma_f32_16x16x32_bf8_bf8 v[8:11], v[0:1], v[2:3], v[4:7]", REF_BF8, 32, 8},
    [F16] = {"v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[4:7]", REF_F16, 16, 4},
    [BF16] = {"v_mfma_f32_16x16x16_bf16 v[8:11], v[0:1], v[2:3], v[4:7]", REF_BF16, 16, 4},
};

static isa_program *program;
static sim_op ops[INSTRUCTIONS][SIM_HOST_COUNT];
static sim_wave *wave;

// Returns the code of a value that the type has.
static uint32_t code_of(ref_type type, double value) {
  const uint32_t count = 1u << ref_bits(type);
  uint32_t code = 0;
  while (code < count && ref_decode(type, false, code) != value) ++code;
  CHECK(code < count, "%g is no value of the type", value);
  return code;
}

static void put(instruction n, int row, int k, double value) {
  const ref_type type = instructions[n].type;
  const int bits = ref_bits(type), at = k % instructions[n].per_lane * bits;
  uint32_t *word = &wave->v[row + at / 32][16 * (k / instructions[n].per_lane)];
  const uint32_t mask = ((1u << bits) - 1) << at % 32;
  *word = (*word & ~mask) | code_of(type, value) << at % 32;
}

// Expects element (0, 0) of the result, whose products are those given and, for the other k, a * b.
static void expect(instruction n, double a, double b, const product *products, int count, double c,
                   double expected, const char *what) {
  for (int variant = 0; variant < SIM_HOST_COUNT; ++variant) {
    if (!mfma_usable((sim_host)variant)) continue;
    memset(wave->v, 0, 12 * sizeof wave->v[0]);
    for (int k = 0; k < instructions[n].k; ++k) {
      put(n, 0, k, a);
      put(n, 2, k, b);
    }
    for (int i = 0; i < count; ++i) {
      put(n, 0, products[i].k, products[i].a);
      put(n, 2, products[i].k, products[i].b);
    }
    const float start = (float)c;
    memcpy(&wave->v[4][0], &start, sizeof start);
    ops[n][variant].run(wave, &ops[n][variant]);
    isa_record_op(isa_group(program)->program,
                  sim_program_at(isa_group(program)->program, isa_offset(program, n)));
    float got;
    memcpy(&got, &wave->v[8][0], sizeof got);
    CHECK((double)got == expected, "%s, %s: %a, expected %a", what, mfma_variant_names[variant], got,
          expected);
  }
}

// 2^14 - 2^14 in one group leaves nothing of what lies 2^-32 below: C, and the small products of that group
// and those before. The 16 products of a later group remain.
static void groups_of_sixteen(void) {
  const double small = 0x1p-9, large = 0x1p7;
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < i; ++j) {
      const product pair[] = {{i, large, large}, {j, large, -large}};
      expect(FP8, small, small, pair, 2, small * small, i < 16 ? 16 * small * small : 0,
             "two large products");
    }
    const product one = {i, large, -large};
    expect(FP8, small, small, &one, 1, large * large, i < 16 ? 16 * small * small : 0, "a large C");
  }
}

static void precision_of_products(void) {
  for (int e = 20; e < 30; ++e) {
    const double last = ldexp(1, 14 - e), factor_a = ldexp(0x1p7, -(e + 1) / 2),
                 factor_b = ldexp(0x1p7, -e / 2);
    const product even[] = {{0, 192, 192}, {2, 192, -192}, {4, factor_a, factor_b}};
    expect(FP8, 0, 0, even, 3, 0, e > 24 ? 0 : last, "products of 2.25 do not raise the exponent");
    const product both[] = {{0, 128, 128}, {2, 128, 128}, {1, factor_a, factor_b}};
    expect(FP8, 0, 0, both, 3, -0x1p15, e > 24 ? 0 : last, "nor does their sum");
  }
}

// Tests what is left of s * 2^-10 beside 2^14 - 2^14: products are truncated within the even or the odd k,
// rounded down between them; C is rounded down, to nothing where it lies more than 25 bits below.
static void rounding(void) {
  static const struct {
    double s, same, between, c;
  } cases[] = {{0.25, 0, 0, 0}, {0.75, 0, 0, 0}, {-0.25, 0, -1, 0}, {-0.75, 0, -1, -1},
               {0.5, 0, 0, 0},  {1.5, 1, 1, 1},  {-0.5, 0, -1, -1}, {-1.5, -1, -2, -2}};
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; ++n)
    for (int odd = 0; odd < 2; ++odd) {
      const double a = cases[n].s * 0x1p-5;
      product p[] = {{odd, 128, 128}, {odd + 2, 128, -128}, {odd + 4, a, 0x1p-5}};
      expect(FP8, 0, 0, p, 3, 0, cases[n].same * 0x1p-10, "a product of the same half");
      p[2].k = 1 - odd;
      expect(FP8, 0, 0, p, 3, 0, cases[n].between * 0x1p-10, "a product of the other half");
      expect(FP8, 0, 0, p, 2, cases[n].s * 0x1p-10, cases[n].c * 0x1p-10, "C");
    }
  expect(FP8, 0, 0, NULL, 0, -0x1p-10, -0x1p-10, "C alone");
}

static void sum_with_c(void) {
  for (int e = 20; e < 30; ++e) {
    const double c = -ldexp(1, 14 - e);
    const product one[] = {{0, 128, 128}}, two[] = {{0, 64, 128}, {1, 64, 128}};
    // From 25 on, C is rounded to 2^-10, and vanishes from 26 on.
    expect(FP8, 0, 0, one, 1, c,
           e <= 24   ? 0x1p14 + c
           : e == 25 ? 0x1.fffffep13
                     : 0x1p14,
           "2^14 in one product");
    expect(FP8, 0, 0, two, 2, c, e <= 24 ? 0x1p14 + c : 0x1p14, "2^14 in two products");
  }
  static const struct {
    double s, expected;
  } nearest[] = {{0.25, 0x1p14}, {0.75, 0x1.000002p14}, {0.5, 0x1p14}, {1.5, 0x1.000004p14}};
  for (size_t n = 0; n < sizeof nearest / sizeof nearest[0]; ++n)
    for (int sign = -1; sign < 2; sign += 2) {
      const double a = sign * 32.0;
      const product four[] = {{0, a, 128}, {2, a, 128}, {4, a, 128}, {6, a, 128}};
      expect(FP8, 0, 0, four, 4, sign * nearest[n].s * 0x1p-9, sign * nearest[n].expected, "to nearest even");
    }
}

// Takes a product beside one of 1 and a C of 24 bits: 31 bits of fraction decide.
static void bits_of_the_total(void) {
  for (int e = 0; e < 10; ++e) {
    const product p[] = {{0, 1, 1}, {2, ldexp(1, -(e + 1) / 2), ldexp(1, -(e / 2))}},
                  q[] = {{0, 10, 1}, {1, ldexp(1, -(e + 1) / 2), ldexp(1, -(e / 2))}};
    expect(FP8, 0, 0, p, 2, 0x1p24, e <= 7 ? 0x1.000002p24 : 0x1p24, "beside 2^24");
    expect(FP8, 0, 0, p, 2, 0x1.000008p24, e <= 7 ? 0x1.00000ap24 : 0x1.000008p24, "beside 2^24 + 8");
    expect(FP8, 0, 0, q, 2, 0x1.fffff8p24, e <= 6 ? 0x1.000002p25 : 0x1p25, "where the total reaches 2^25");
  }
}

// This is by the algorithm, not printed: 2^26 + 4 + 2^-6 loses its last bit first and then is half way.
static void tie_after_the_last_bit(void) {
  static const product p[] = {{0, 1.125, 1.125}, {1, 1, 1}, {2, 1.75, 1}};
  expect(FP8, 0, 0, p, 3, 0x1p26, 0x1p26, "a tie once the last bit is gone");
  expect(FP8, 0, 0, p, 3, 0x1p24, 0x1.000004p24, "the same beside a smaller C");
}

static void example_of_the_paper(void) {
  static const product p[] = {{0, -0x1p13, 0x1p10}, {1, -0.5, 1}, {2, -0.25, 1}, {3, -0.125, 1}};
  expect(F16, 0, 0, p, 4, 0x1p23, -0.5, "equation 10, f16");
  expect(BF16, 0, 0, p, 4, 0x1p23, -0.5, "equation 10, bf16");
  expect(BF8, 0, 0, p, 4, 0x1p23, -1, "equation 10, bf8");
}

int main(void) {
  const char *lines[INSTRUCTIONS];
  for (int n = 0; n < INSTRUCTIONS; ++n) lines[n] = instructions[n].code;
  program = isa_assemble("gfx942", lines, INSTRUCTIONS);
  wave = isa_begin(program, 0);
  for (int n = 0; n < INSTRUCTIONS; ++n)
    for (int variant = 0; variant < SIM_HOST_COUNT; ++variant)
      mfma_op(program, (size_t)n, (sim_host)variant, &ops[n][variant]);
  groups_of_sixteen();
  precision_of_products();
  rounding();
  sum_with_c();
  bits_of_the_total();
  tie_after_the_last_bit();
  example_of_the_paper();
  isa_free(program);
  return test_result() | mfma_test_result();
}
