// SPDX-License-Identifier: MIT
// f16 arithmetic of the vector ALU, single, packed and mixed with f32, against exact sums and products
// rounded once under every rounding mode, with denormals kept and flushed; dot products of f16 and bf16.
#include "tests/isa/valu_host.h"

// ---- the operations on f16 codes that MODE has let in

static bool negative16(uint32_t h) { return h >> 15 & 1; }

static uint32_t sum16(const valu_lane *x, uint32_t a, uint32_t b) {
  return out16(x, value16(a) + value16(b), negative16(a) && negative16(b), negative16(a) || negative16(b));
}
static uint32_t product16(const valu_lane *x, uint32_t a, uint32_t b) {
  bool negative = negative16(a) != negative16(b);
  return out16(x, value16(a) * value16(b), negative, negative);
}
static uint32_t fused16(const valu_lane *x, uint32_t a, uint32_t b, uint32_t c) {
  bool negative = negative16(a) != negative16(b);
  return out16(x, value16(a) * value16(b) + value16(c), negative && negative16(c), negative || negative16(c));
}
// v_mad_f16 and v_mac_f16: the product is rounded before the sum, but only the sum is flushed.
static uint32_t unfused16(const valu_lane *x, uint32_t a, uint32_t b, uint32_t c) {
  bool negative = negative16(a) != negative16(b);
  return sum16(x, code16(value16(a) * value16(b), x->mode >> 2, negative), c);
}
static uint32_t magnitude16(uint32_t h) { return h & 0x7fff; }
static bool nan16(uint32_t h) { return magnitude16(h) > 0x7c00; }
static bool signalling16(uint32_t h) { return nan16(h) && !(h & 0x200); }

// Computes V_MIN_F16 and V_MAX_F16, word for word.
static uint32_t extreme16(const valu_lane *x, uint32_t a, uint32_t b, bool greater) {
  bool ieee = x->mode & 0x200;
  if (ieee && signalling16(a)) return a | 0x200;
  if (ieee && signalling16(b)) return b | 0x200;
  if (nan16(a)) return b;
  if (nan16(b)) return a;
  if (!magnitude16(a) && !magnitude16(b)) return negative16(a) == greater ? b : a;
  return greater == (value16(a) > value16(b)) && value16(a) != value16(b) ? a : b;
}
static uint32_t min16(const valu_lane *x, uint32_t a, uint32_t b) { return extreme16(x, a, b, false); }
static uint32_t max16(const valu_lane *x, uint32_t a, uint32_t b) { return extreme16(x, a, b, true); }
static uint32_t med16(const valu_lane *x, uint32_t a, uint32_t b, uint32_t c) {
  if (nan16(a) || nan16(b) || nan16(c)) return min16(x, min16(x, a, b), c);
  uint32_t top = max16(x, max16(x, a, b), c);
  return top == a ? max16(x, b, c) : top == b ? max16(x, a, c) : max16(x, a, b);
}
// IEEE 754-2019: NaN wins, -0 is below +0.
static uint32_t bound16(uint32_t a, uint32_t b, bool greater) {
  if (nan16(a) || nan16(b)) return 0x7e00;
  if (!magnitude16(a) && !magnitude16(b)) return negative16(a) == greater ? b : a;
  return greater == (value16(a) > value16(b)) && value16(a) != value16(b) ? a : b;
}

// Exact results need no rounding mode; the sign of a zero is that of the source.
static uint32_t exact16(const valu_lane *x, uint32_t source, long double v) {
  return nan16(source) ? 0x7e00 : flush16(x, code16(v, 0, negative16(source)));
}
static uint32_t fract16(const valu_lane *x, uint32_t a) {
  if (magnitude16(a) >= 0x7c00) return 0x7e00;
  long double v = value16(a);
  uint32_t r = code16(v - floorl(v), x->mode >> 2, (x->mode >> 2 & 3) == 2);
  return flush16(x, r >= 0x3c00 && r < 0x8000 ? 0x3bff : r);
}
static uint32_t mantissa16(const valu_lane *x, uint32_t a) {
  int e;
  return magnitude16(a) >= 0x7c00 ? (nan16(a) ? 0x7e00 : a) : exact16(x, a, frexpl(value16(a), &e));
}
static uint32_t exponent16(uint32_t a) {
  int e = 0;
  if (magnitude16(a) && magnitude16(a) < 0x7c00) frexpl(value16(a), &e);
  return (uint32_t)e & 0xffff;
}
static uint32_t scaled16(const valu_lane *x, uint32_t a, int by) {
  if (nan16(a)) return 0x7e00;
  return flush16(x, code16(ldexpl(value16(a), by > 100    ? 100
                                              : by < -100 ? -100
                                                          : by),
                           x->mode >> 2, negative16(a)));
}

// V_DIV_FIXUP_F16: S0 is the quotient so far, S1 the denominator, S2 the numerator.
static uint32_t fixup16(const valu_lane *x, uint32_t q, uint32_t den, uint32_t num) {
  uint32_t sign = (den ^ num) & 0x8000, d = magnitude16(den), n = magnitude16(num);
  if (nan16(num) || nan16(den)) return 0x7e00;
  if ((!d && !n) || (d == 0x7c00 && n == 0x7c00)) return 0xfe00;
  if (!d || n == 0x7c00) return sign | 0x7c00;
  if (d == 0x7c00 || !n) return sign;
  return flush16(x, sign | magnitude16(q));
}

#define A16 in16(x, x->a)
#define B16 in16(x, x->b)
#define C16 in16(x, x->c)
#define D16 in16(x, x->old)
#define HA16 in16(x, x->a >> 16)
#define HB16 in16(x, x->b >> 16)
#define HC16 in16(x, x->c >> 16)
#define HD16 in16(x, x->old >> 16)

static uint32_t keep(uint32_t old, uint32_t low) { return (old & 0xffff0000u) | low; }
static uint32_t pair(uint32_t low, uint32_t high) { return low | high << 16; }

// VOP1 and VOP2 results clear the high half; the VOP3 operations of GFX9 keep it.
#define HALF(X)                                                                                             \
  X(add, "v_add_f16 v0, v2, v4", BOTH, F16, sum16(x, A16, B16))                                             \
  X(add_signs, "v_add_f16 v0, -v2, |v4|", BOTH, F16, sum16(x, A16 ^ 0x8000, B16 & 0x7fff))                  \
  X(add_halves,                                                                                             \
    "v_add_f16_sdwa v0, v2, v4 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0", BOTH, \
    F16, sum16(x, HA16, B16))                                                                               \
  X(sub, "v_sub_f16 v0, v2, v4", BOTH, F16, sum16(x, A16, B16 ^ 0x8000))                                    \
  X(subrev, "v_subrev_f16 v0, v2, v4", BOTH, F16, sum16(x, A16 ^ 0x8000, B16))                              \
  X(mul, "v_mul_f16 v0, v2, v4", BOTH, F16, product16(x, A16, B16))                                         \
  X(mac, "v_mac_f16 v0, v2, v4", BOTH, F16, unfused16(x, A16, B16, D16))                                    \
  X(madmk, "v_madmk_f16 v0, v2, 0x4248, v4", BOTH, F16, unfused16(x, A16, 0x4248, B16))                     \
  X(madak, "v_madak_f16 v0, v2, v4, 0xc248", BOTH, F16, unfused16(x, A16, B16, 0xc248))                     \
  X(mad_legacy, "v_mad_legacy_f16 v0, v2, v4, v6", BOTH, F16, unfused16(x, A16, B16, C16))                  \
  X(mad, "v_mad_f16 v0, v2, v4, v6", BOTH, F16, keep(old, unfused16(x, A16, B16, C16)))                     \
  X(fma, "v_fma_f16 v0, v2, v4, v6", BOTH, F16, keep(old, fused16(x, A16, B16, C16)))                       \
  X(fma_legacy, "v_fma_legacy_f16 v0, v2, -v4, v6", BOTH, F16, fused16(x, A16, B16 ^ 0x8000, C16))          \
  X(min, "v_min_f16 v0, v2, v4", BOTH, B32, flush16(x, min16(x, A16, B16)))                                 \
  X(max, "v_max_f16 v0, v2, v4", BOTH, B32, flush16(x, max16(x, A16, B16)))                                 \
  X(min3, "v_min3_f16 v0, v2, v4, v6", BOTH, B32, keep(old, flush16(x, min16(x, min16(x, A16, B16), C16)))) \
  X(max3, "v_max3_f16 v0, v2, v4, v6", BOTH, B32, keep(old, flush16(x, max16(x, max16(x, A16, B16), C16)))) \
  X(med3, "v_med3_f16 v0, v2, v4, v6", BOTH, B32, keep(old, flush16(x, med16(x, A16, B16, C16))))           \
  X(div_fixup, "v_div_fixup_f16 v0, v2, v4, v6", BOTH, F16, keep(old, fixup16(x, A16, B16, C16)))           \
  X(div_fixup_legacy, "v_div_fixup_legacy_f16 v0, v2, v4, v6", BOTH, F16, fixup16(x, A16, B16, C16))        \
  X(ldexp, "v_ldexp_f16 v0, v2, v4", BOTH, F16, scaled16(x, A16, (int16_t)b))                               \
  X(floor, "v_floor_f16 v0, v2", BOTH, F16, exact16(x, A16, floorl(value16(A16))))                          \
  X(ceil, "v_ceil_f16 v0, v2", BOTH, F16, exact16(x, A16, ceill(value16(A16))))                             \
  X(trunc, "v_trunc_f16 v0, v2", BOTH, F16, exact16(x, A16, truncl(value16(A16))))                          \
  X(rndne, "v_rndne_f16 v0, v2", BOTH, F16, exact16(x, A16, rintl(value16(A16))))                           \
  X(fract, "v_fract_f16 v0, v2", BOTH, F16, fract16(x, A16))                                                \
  X(frexp_mant, "v_frexp_mant_f16 v0, v2", BOTH, F16, mantissa16(x, A16))                                   \
  X(frexp_exp, "v_frexp_exp_i16_f16 v0, v2", BOTH, B32, exponent16(A16))

#define PACKED(X)                                                                                   \
  X(pk_add, "v_pk_add_f16 v0, v2, v4", BOTH, PKF16, pair(sum16(x, A16, B16), sum16(x, HA16, HB16))) \
  X(pk_mul, "v_pk_mul_f16 v0, v2, v4 op_sel:[1,0] op_sel_hi:[1,0]", BOTH, PKF16,                    \
    pair(product16(x, HA16, B16), product16(x, HA16, B16)))                                         \
  X(pk_fma, "v_pk_fma_f16 v0, v2, v4, v6 neg_lo:[0,1,0] neg_hi:[1,0,1]", BOTH, PKF16,               \
    pair(fused16(x, A16, B16 ^ 0x8000, C16), fused16(x, HA16 ^ 0x8000, HB16, HC16 ^ 0x8000)))       \
  X(pk_fmac, "v_pk_fmac_f16 v0, v2, v4", BOTH, PKF16,                                               \
    pair(fused16(x, A16, B16, D16), fused16(x, HA16, HB16, HD16)))                                  \
  X(pk_min, "v_pk_min_f16 v0, v2, v4", BOTH, B32,                                                   \
    pair(flush16(x, min16(x, A16, B16)), flush16(x, min16(x, HA16, HB16))))                         \
  X(pk_max, "v_pk_max_f16 v0, v2, v4", BOTH, B32,                                                   \
    pair(flush16(x, max16(x, A16, B16)), flush16(x, max16(x, HA16, HB16))))                         \
  X(pk_minimum3, "v_pk_minimum3_f16 v0, v2, v4, v6", GFX950, PKF16,                                 \
    pair(flush16(x, bound16(bound16(A16, B16, false), C16, false)),                                 \
         flush16(x, bound16(bound16(HA16, HB16, false), HC16, false))))                             \
  X(pk_maximum3, "v_pk_maximum3_f16 v0, v2, v4, v6", GFX950, PKF16,                                 \
    pair(flush16(x, bound16(bound16(A16, B16, true), C16, true)),                                   \
         flush16(x, bound16(bound16(HA16, HB16, true), HC16, true))))

// ---- with f32: products of f16 and of bf16 are exact there but for bf16's range.

HOST_OP(fused32, float, 0, fmaf(a, b, c))
HOST_OP(sum32, float, 0, a + b)
HOST_OP(product32, float, 0, a *b)

static float wide16(const valu_lane *x, uint32_t h) { return (float)from16(x, h); }
static float brain(uint32_t bits) { return sim_f32(bits << 16); }
// The manual adds one product after the other.
static float dot16(const valu_lane *x, float c) {
  float first = sum32(x, c, wide16(x, (uint32_t)x->a) * wide16(x, (uint32_t)x->b), 0);
  return sum32(x, first, wide16(x, (uint32_t)x->a >> 16) * wide16(x, (uint32_t)x->b >> 16), 0);
}
static float brain_product(const valu_lane *x, int half) {
  return product32(x, brain((uint32_t)x->a >> (16 * half) & 0xffff),
                   brain((uint32_t)x->b >> (16 * half) & 0xffff), 0);
}

#define MIXED(X)                                                                              \
  X(mix, "v_fma_mix_f32 v0, v2, v4, v6 op_sel:[1,0,0] op_sel_hi:[1,0,1]", BOTH, F32,          \
    out32(x, fused32(x, wide16(x, a >> 16), in32(x, b), wide16(x, c))))                       \
  X(mix_plain, "v_fma_mix_f32 v0, -v2, |v4|, v6", BOTH, F32,                                  \
    out32(x, fused32(x, -in32(x, a), fabsf(in32(x, b)), in32(x, c))))                         \
  X(dot2, "v_dot2_f32_f16 v0, v2, v4, v6", BOTH, F32, out32(x, dot16(x, in32(x, c))))         \
  X(dot2c, "v_dot2c_f32_f16 v0, v2, v4", BOTH, F32, out32(x, dot16(x, in32(x, old))))         \
  X(dot2_bf16, "v_dot2_f32_bf16 v0, v2, v4, v6", GFX950, F32,                                 \
    out32(x, sum32(x, sum32(x, brain_product(x, 0), brain_product(x, 1), 0), in32(x, c), 0))) \
  X(dot2c_bf16, "v_dot2c_f32_bf16 v0, v2, v4", GFX950, F32,                                   \
    out32(x, sum32(x, sum32(x, in32(x, old), brain_product(x, 0), 0), brain_product(x, 1), 0)))

HALF(VALU_DEFINE)
PACKED(VALU_DEFINE)
MIXED(VALU_DEFINE)
static const valu_op ops[] = {HALF(VALU_ROW) PACKED(VALU_ROW)};
static const valu_op mixed[] = {MIXED(VALU_ROW)};

// v_fma_mixlo and v_fma_mixhi round the f32 result to one half and keep the other.
static void mixed_halves(const char *target) {
  static const char *const code[] = {"v_fma_mixlo_f16 v0, v2, v4, v6 op_sel_hi:[0,0,0]",
                                     "v_fma_mixhi_f16 v0, v2, v4, v6 op_sel_hi:[1,0,0]"};
  test_rng rng = test_seed(11);
  isa_program *p = isa_assemble(target, code, 2);
  for (size_t i = 0; i < 2; ++i) {
    sim_wave *w = isa_begin(p, i);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      w->v[0][l] = 0x12345678;
      // Small integers and fractions are exact in f32, so that one rounding to f16 is left.
      for (unsigned r = 2; r < 8; r += 2)
        w->v[r][l] = sim_bits32((float)((int)(test_random(&rng) % 4001) - 2000) / 64);
      if (i == 1) w->v[2][l] = (uint32_t)test_random(&rng) & 0xbfff;
    }
    CHECK_RUN(p);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      valu_lane x = {.mode = w->mode};
      long double a = i ? value16(w->v[2][l]) : (long double)sim_f32(w->v[2][l]);
      long double v = a * (long double)sim_f32(w->v[4][l]) + (long double)sim_f32(w->v[6][l]);
      if ((long double)(float)v != v) continue;
      uint32_t h = out16(&x, v, false, false);
      CHECK_V32(p, 0, l, i ? (h << 16 | 0x5678) : (0x12340000 | h));
    }
  }
  isa_free(p);
}

int main(void) {
  static const uint32_t modes[] = {0x3f0, 0x0f0, 0x3f5, 0x3fa, 0x3ff, 0x300, 0x370, 0x3b0};
  valu_check(ops, sizeof ops / sizeof ops[0], modes, sizeof modes / sizeof modes[0], 6);
  static const uint32_t roundings[] = {0x3f0, 0x3f5, 0x3fa, 0x3ff};
  valu_check(mixed, sizeof mixed / sizeof mixed[0], roundings, 4, 12);
  mixed_halves("gfx942");
  mixed_halves("gfx950");
  return test_result();
}
