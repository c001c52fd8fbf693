// SPDX-License-Identifier: MIT
// v_trig_preop_f64 gives 53 bits of 2/pi from any place (CDNA3 ISA, "V_TRIG_PREOP_F64"). The bits are worked
// out here, pi by Machin's formula and its reciprocal by long division, and every one is read.
#include <math.h>

#include "tests/isa/harness.h"

// Numbers below 16 have a word before the point, and bits enough after it that rounding does not reach the
// 1201st.
enum { WORDS = 44, BITS = 1201 };
typedef struct number {
  uint32_t word[WORDS];  // the most significant one first
} number;

static void divide(number *n, uint32_t by) {
  uint64_t rest = 0;
  for (int i = 0; i < WORDS; ++i) {
    rest = rest << 32 | n->word[i];
    n->word[i] = (uint32_t)(rest / by), rest %= by;
  }
}

static void add(number *to, const number *n, bool negative) {
  uint64_t carry = negative;
  for (int i = WORDS - 1; i >= 0; --i) {
    carry += (uint64_t)to->word[i] + (negative ? ~n->word[i] : n->word[i]);
    to->word[i] = (uint32_t)carry, carry >>= 32;
  }
}

// Adds `factor` times the arc tangent of 1 / x, by its series.
static void add_arctan(number *sum, uint32_t factor, uint32_t x, bool negative) {
  number power = {{factor}};
  divide(&power, x);
  for (uint32_t i = 1; i < 32 * WORDS; i += 2) {
    number term = power;
    divide(&term, i);
    add(sum, &term, negative != (i % 4 == 3));
    divide(&power, x * x);
  }
}

static bool at_least(const number *a, const number *b) {
  for (int i = 0; i < WORDS; ++i)
    if (a->word[i] != b->word[i]) return a->word[i] > b->word[i];
  return true;
}

static void two_over_pi(bool bits[BITS]) {
  number pi = {{0}}, rest = {{2}};
  add_arctan(&pi, 16, 5, false);
  add_arctan(&pi, 4, 239, true);
  for (int i = 0; i < BITS; ++i) {
    const number same = rest;
    add(&rest, &same, false);
    bits[i] = at_least(&rest, &pi);
    if (bits[i]) add(&rest, &pi, true);
  }
}

static double expected(const bool bits[BITS], int exponent, int segment) {
  const int first = 53 * segment + (exponent > 1077 ? exponent - 1077 : 0);
  double value = 0;
  for (int i = 0; i < 53; ++i) value = 2 * value + (first + i < BITS && bits[first + i]);
  return ldexp(value, -53 - first + (exponent >= 1968 ? 128 : 0));
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"}, *const code[] = {
                                                                 "v_trig_preop_f64 v[0:1], v[2:3], v4"};
  static const int exponents[] = {0,    1,    1023, 1076, 1077, 1078, 1100, 1129,
                                  1130, 1500, 1967, 1968, 1969, 2045, 2046, 1024};
  enum { EXPONENTS = sizeof exponents / sizeof *exponents, SEGMENTS = 32 };
  static bool bits[BITS];
  two_over_pi(bits);
  for (int t = 0; t < 2; ++t) {
    isa_program *p = isa_assemble(targets[t], code, 1);
    for (int e = 0; e < EXPONENTS; e += 2) {
      sim_wave *w = isa_begin(p, 0);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        isa_set_v64(w, 2, l, (uint64_t)exponents[e + l / SEGMENTS] << 52 | 0x123456789abcdull);
        w->v[4][l] = l % SEGMENTS | 0xffffffe0;  // bits 4:0 alone count
      }
      CHECK_RUN(p);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        const double want = expected(bits, exponents[e + l / SEGMENTS], (int)l % SEGMENTS);
        uint64_t wanted;
        memcpy(&wanted, &want, 8);
        CHECK_V64(p, 0, l, wanted);
      }
    }
    isa_free(p);
  }
  return test_result();
}
