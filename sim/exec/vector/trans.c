// SPDX-License-Identifier: MIT
// Defines the transcendental rows and the division helpers. Values are computed in f64 by polynomials of our
// own and rounded once, so they are within one ulp (the manual's bound for f32) and the same bits on every
// host. The f32 forms treat denormal sources and results as zero whatever MODE says (LLVM lowers exp, log,
// rcp, rsq and sqrt around that); special cases are those of the manual: log of a negative and of -inf is
// NaN, sin and cos of an infinity too, and an argument of sin or cos beyond +-256 turns is outside the domain
// and gives 0 and 1. The hardware's f64 rcp, rsq and sqrt are starting values for Newton steps; here they are
// correctly rounded.
#include "sim/exec/vector/number.h"
#include "sim/exec/vector/vector.h"

// Adding and subtracting this rounds a double to an integer, to nearest even; its low bits then hold the
// integer.
#define ROUNDER 0x1.8p52

static inline float exp2_f32(float a) {
  double v = a < -1000 ? -1000.0 : a > 1000 ? 1000.0 : a == a ? (double)a : 0.0;
  double shifted = v + ROUNDER, f = v - (shifted - ROUNDER);
  // For |f| <= 1/2, 2^f is the sum of (f ln 2)^k / k!, and the remainder is below 1e-14.
  static const double c[12] = {1.0,
                               0x1.62e42fefa39efp-1,
                               0x1.ebfbdff82c58fp-3,
                               0x1.c6b08d704a0c0p-5,
                               0x1.3b2ab6fba4e77p-7,
                               0x1.5d87fe78a6731p-10,
                               0x1.430912f86c787p-13,
                               0x1.ffcbfc588b0c7p-17,
                               0x1.62c0223a5c824p-20,
                               0x1.b5253d395e7c4p-24,
                               0x1.e4cf5158b8ecap-28,
                               0x1.e8cac7351bb25p-32};
  double p = c[11];
  for (int k = 10; k >= 0; --k) p = p * f + c[k];
  double scaled = sim_f64(sim_bits64(p) + (sim_bits64(shifted) << 52));
  return a == a ? sim_flushf((float)scaled) : sim_nan1(a, a);
}

static inline float log2_f32(float source) {
  float a = sim_flushf(source);
  uint32_t bits = sim_bits32(a);
  uint32_t high = (bits & 0x7fffffu) > 0x3504f3u;  // mantissa above sqrt(2)
  double e = (double)((int32_t)(bits >> 23 & 255) - 127 + (int32_t)high);
  double m = (double)sim_f32((bits & 0x7fffffu) | 0x3f800000u) * (high ? 0.5 : 1.0);
  // This uses log2(m) = 2/ln2 * atanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
  double s = (m - 1.0) / (m + 1.0), z = s * s, p = 1.0 / 25;
  for (int k = 23; k >= 1; k -= 2) p = p * z + 1.0 / k;
  float r = (float)(e + 0x1.71547652b82fep+1 * s * p);
  r = bits == 0x7f800000u ? a : r;
  r = (bits & 0x7fffffffu) == 0 ? -INFINITY : r;
  r = a < 0 ? sim_f32(SIM_NAN32) : r;
  return source == source ? r : sim_nan1(source, source);
}

// Returns sin(2 pi t) for |t| <= 1/4.
static inline double sine_turns(double t) {
  double u = t * 0x1.921fb54442d18p+2, z = u * u, p = 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return u + u * z * p;
}
static inline double turn_fraction(float a) {
  double v = a;
  return v - ((v + ROUNDER) - ROUNDER);
}
static inline float angle_nan(float a) { return a - a == 0 ? a : sim_nan1(sim_f32(SIM_NAN32), a); }
static inline float sin_f32(float a) {
  bool inside = fabsf(a) <= 256.0f;
  double t = turn_fraction(inside ? a : 0.0f);
  double folded = t > 0.25 ? 0.5 - t : t < -0.25 ? -0.5 - t : t;
  float r = (float)sine_turns(folded);
  r = a == 0 ? a : r;
  return inside ? r : a - a == 0 ? 0.0f : angle_nan(a);
}
static inline float cos_f32(float a) {
  bool inside = fabsf(a) <= 256.0f;
  double t = turn_fraction(inside ? a : 0.0f);
  float r = (float)sine_turns(0.25 - fabs(t));
  return inside ? r : a - a == 0 ? 1.0f : angle_nan(a);
}

static inline float rcp_f32(float a) { return sim_nan1(sim_flushf(1.0f / sim_flushf(a)), a); }
static inline float sqrt_f32(float a) { return sim_nan1(sqrtf(sim_flushf(a)), a); }
static inline float rsq_f32(float source) {
  float a = sim_flushf(source);
  return sim_nan1((float)(1.0 / sqrt((double)a)), source);
}

#define TRANS(L)                                      \
  L(v_exp_f32, f32, f32, exp2_f32(a))                 \
  L(v_log_f32, f32, f32, log2_f32(a))                 \
  L(v_rcp_f32, f32, f32, rcp_f32(a))                  \
  L(v_rsq_f32, f32, f32, rsq_f32(a))                  \
  L(v_sqrt_f32, f32, f32, sqrt_f32(a))                \
  L(v_sin_f32, f32, f32, sin_f32(a))                  \
  L(v_cos_f32, f32, f32, cos_f32(a))                  \
  L(v_rcp_f64, f64, f64, sim_dnan1(1.0 / a, a))       \
  L(v_rsq_f64, f64, f64, sim_dnan1(1.0 / sqrt(a), a)) \
  L(v_sqrt_f64, f64, f64, sim_dnan1(sqrt(a), a))
#define TRANS_DEF(m, TD, TA, expr) SIM_FN1(lanes_##m, TD, TA, expr)
#define TRANS_AS(m, T, fn) \
  SIM_VROW(m, "=" #T "," #T, sim_valu, SIM_ON_BOTH, SIM_CLASS_TRANS, SIM_NARROW_##T, SIM_V_NEAREST, fn)
#define TRANS_ROW(m, TD, TA, expr) TRANS_AS(m, TD, lanes_##m)
TRANS(TRANS_DEF)

// ---- division

// Implements v_div_scale (CDNA3 ISA). S0 is the numerator S2 or the denominator S1. Where the manual writes
// 1/S1 == DENORM it must mean the format of the operation, and a denominator so large must be scaled down,
// not up (the manual's ldexp(S0, 64) would overflow): only so do the published division sequences give the
// IEEE quotient.
#define DIV_SCALE(fn, real, bits_t, get, put, bias, high, far, step, tiny, smallest, nan)                    \
  static inline bits_t fn##_lane(bits_t u0, bits_t u1, bits_t u2, uint32_t *scaled) {                        \
    const int mantissa = sizeof(real) == 4 ? 23 : 52;                                                        \
    real s0, s1, s2;                                                                                         \
    memcpy(&s0, &u0, sizeof s0);                                                                             \
    memcpy(&s1, &u1, sizeof s1);                                                                             \
    memcpy(&s2, &u2, sizeof s2);                                                                             \
    int e1 = (int)(u1 >> mantissa & (high)), e2 = (int)(u2 >> mantissa & (high));                            \
    /* |1 / S1| is below the smallest normal number when S1 is above 2^(bias - 1). */                        \
    bool reciprocal_denormal =                                                                               \
        e1 >= 2 * (bias) - 1 && e1 < (high) && (e1 > 2 * (bias) - 1 || u1 << (sizeof(real) * 8 - mantissa)); \
    real quotient = s2 / s1;                                                                                 \
    bool quotient_denormal = quotient != 0 && quotient < (smallest) && quotient > -(smallest);               \
    /* An underflow to zero asks for the same scaling. */                                                    \
    quotient_denormal |= quotient == 0 && s2 != 0 && e1 < (high);                                            \
    int by = 0;                                                                                              \
    *scaled = 0;                                                                                             \
    if (s2 == 0 || s1 == 0) {                                                                                \
      return nan;                                                                                            \
    } else if (e2 - e1 >= (far)) {                                                                           \
      *scaled = 1;                                                                                           \
      by = s0 == s1 ? (step) : 0;                                                                            \
    } else if (e1 == 0) {                                                                                    \
      by = (step);                                                                                           \
    } else if (reciprocal_denormal && quotient_denormal) {                                                   \
      *scaled = 1;                                                                                           \
      by = s0 == s1 ? -(step) : 0;                                                                           \
    } else if (reciprocal_denormal) {                                                                        \
      by = -(step);                                                                                          \
    } else if (quotient_denormal) {                                                                          \
      *scaled = 1;                                                                                           \
      by = s0 == s2 ? (step) : 0;                                                                            \
    } else if (e2 <= (tiny)) {                                                                               \
      by = (step);                                                                                           \
    }                                                                                                        \
    s0 = (real)scalbn((double)s0, by);                                                                       \
    memcpy(&u0, &s0, sizeof u0);                                                                             \
    return u0;                                                                                               \
  }                                                                                                          \
  SIM_LANES_FN(fn, uint32_t scaled; const bits_t r = fn##_lane(get(pa), get(pb), get(pc), &scaled); put(r);  \
               d[sizeof(real) / 4 * SIM_LANES + l] = scaled;)
DIV_SCALE(lanes_div_scale_f32, float, uint32_t, SIM_GET_b32, SIM_PUT_b32, 127, 255, 96, 64, 23, 0x1p-126f,
          SIM_NAN32)
DIV_SCALE(lanes_div_scale_f64, double, uint64_t, SIM_GET_b64, SIM_PUT_b64, 1023, 2047, 768, 128, 53,
          0x1p-1022, SIM_NAN64)

// Returns (a*b + c) * 2^-128, rounded once. A denormal result is rounded a second time by the scaling; where
// the first rounding has made that a tie, its error decides.
static inline double fma_scaled_down(double a, double b, double c) {
  double r = fma(a, b, c), p = a * b, scaled = r * 0x1p-128;
  // The larger addend is nearly r, so its difference from r is exact.
  double rest = fabs(c) > fabs(p) ? (c - r) + p : (p - r) + c, error = rest + fma(a, b, -p);
  bool tie = fabs(scaled) <= 0x1p-1022 && fabs(r - scaled * 0x1p128) == 0x1p-947;
  uint64_t step = (error > 0) == (r > 0) ? 1 : (uint64_t)-1;
  return tie && error != 0 ? sim_f64(sim_bits64(r) + step) * 0x1p-128 : scaled;
}

// v_div_fmas undoes v_div_scale's scaling where VCC is set: up when the quotient S2 is large, down when it is
// small, by the amount v_div_scale used.
static inline float div_fmas_f32(float a, float b, float c, uint32_t vcc) {
  bool large = (sim_bits32(c) >> 23 & 255) > 127;
  double exact = (double)a * b, sum = exact + c, part = sum - exact;
  double error = (exact - (sum - part)) + (c - part);
  uint64_t bits = sim_bits64(sum);
  if (error != 0 && error - error == 0 && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
  float scaled = (float)(sim_f64(bits) * (large ? 0x1p64 : 0x1p-64));
  return sim_nan3(vcc ? scaled : fmaf(a, b, c), a, b, c);
}
static inline double div_fmas_f64(double a, double b, double c, uint32_t vcc) {
  bool large = (sim_bits64(c) >> 52 & 2047) > 1023;
  double scaled = large ? fma(a, b, c) * 0x1p128 : fma_scaled_down(a, b, c);
  return sim_dnan3(vcc ? scaled : fma(a, b, c), a, b, c);
}
SIM_LANES_FN(lanes_div_fmas_f32,
             SIM_PUT_f32(div_fmas_f32(SIM_GET_f32(pa), SIM_GET_f32(pb), SIM_GET_f32(pc), x->fourth[l]));)
SIM_LANES_FN(lanes_div_fmas_f64,
             SIM_PUT_f64(div_fmas_f64(SIM_GET_f64(pa), SIM_GET_f64(pb), SIM_GET_f64(pc), x->fourth[l]));)

// v_div_fixup: S0 the quotient so far, S1 denominator, S2 numerator. A quotient with the exponent of an
// infinity or NaN has overflowed on the way; the manual prints that test for S1, where it can never hold. A
// quotient that underflows beyond the smallest denormal is zero, or that denormal when MODE rounds away from
// zero.
static inline float div_fixup_f32(float q, float den, float num, uint32_t rounding, bool half) {
  uint32_t uq = sim_bits32(q), ud = sim_bits32(den), un = sim_bits32(num);
  uint32_t sign = (ud ^ un) & 0x80000000u, ad = ud & 0x7fffffffu, an = un & 0x7fffffffu;
  uint32_t r = (uq & 0x7fffffffu) | sign;
  bool away = (rounding == 1 && !sign) || (rounding == 2 && sign);
  if (!half && (uq & 0x7f800000u) == 0x7f800000u) r = sign | 0x7f800000u;
  if (!half && (int)(an >> 23) - (int)(ad >> 23) < -150) r = sign | away;
  if (ad == 0x7f800000u || an == 0) r = sign;
  if (ad == 0 || an == 0x7f800000u) r = sign | 0x7f800000u;
  if ((ad == 0 && an == 0) || (ad == 0x7f800000u && an == 0x7f800000u)) r = SIM_NAN32;
  if (ad > 0x7f800000u) r = sim_quiet32(ud);
  if (an > 0x7f800000u) r = sim_quiet32(un);
  return sim_f32(r);
}
static inline double div_fixup_f64(double q, double den, double num, uint32_t rounding) {
  const uint64_t inf = 0x7ff0000000000000u, top = 0x8000000000000000u;
  uint64_t uq = sim_bits64(q), ud = sim_bits64(den), un = sim_bits64(num);
  uint64_t sign = (ud ^ un) & top, ad = ud & ~top, an = un & ~top;
  uint64_t r = (uq & ~top) | sign;
  bool away = (rounding == 1 && !sign) || (rounding == 2 && sign);
  if ((uq & inf) == inf) r = sign | inf;
  if ((int)(an >> 52) - (int)(ad >> 52) < -1075) r = sign | away;
  if (ad == inf || an == 0) r = sign;
  if (ad == 0 || an == inf) r = sign | inf;
  if ((ad == 0 && an == 0) || (ad == inf && an == inf)) r = SIM_NAN64;
  if (ad > inf) r = sim_quiet64(ud);
  if (an > inf) r = sim_quiet64(un);
  return sim_f64(r);
}
SIM_FN3(lanes_div_fixup_f32, f32, f32, f32, f32, div_fixup_f32(a, b, c, x->mode & 3, false))
SIM_FN3(lanes_div_fixup_f64, f64, f64, f64, f64, div_fixup_f64(a, b, c, x->mode >> 2 & 3))
SIM_FN3(lanes_div_fixup_f16, f16, f16, f16, f16, div_fixup_f32(a, b, c, 0, true))

// Implements v_trig_preop_f64 (CDNA3 ISA): 53 bits of 2/pi from position `shift`, scaled to where they
// belong.
static double trig_preop(double a, uint32_t segment) {
  // This is 2/pi after the binary point, most significant first (OEIS A060294), 1216 bits.
  static const uint32_t two_over_pi[38] = {
      0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
      0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
      0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
      0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
      0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB};
  int exponent = (int)(sim_bits64(a) >> 52 & 2047);
  int shift = (int)(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  uint64_t bits = 0;
  // The 1201 bits end at b_0; what is shifted in from below is zero.
  for (int i = 0; i < 53; ++i) {
    int at = shift + i;
    uint32_t bit = at < 1201 ? two_over_pi[at / 32] >> (31 - at % 32) & 1 : 0;
    bits = bits << 1 | bit;
  }
  return scalbn((double)bits, -53 - shift + (exponent >= 1968 ? 128 : 0));
}
SIM_FN2(lanes_trig_preop, f64, f64, u32, trig_preop(a, b))

static const sim_opinfo rows[] = {
    // clang-format off
    TRANS(TRANS_ROW)
    TRANS_AS(v_rcp_iflag_f32, f32, lanes_v_rcp_f32)
    // This is in LLVM's list for these chips but in no CDNA manual; GFX9's says the same function with legacy
    // semantics.
    TRANS_AS(v_exp_legacy_f32, f32, lanes_v_exp_f32)
    TRANS_AS(v_log_legacy_f32, f32, lanes_v_log_f32)
    TRANS_AS(v_exp_f16, f16, lanes_v_exp_f32)
    TRANS_AS(v_log_f16, f16, lanes_v_log_f32)
    TRANS_AS(v_rcp_f16, f16, lanes_v_rcp_f32)
    TRANS_AS(v_rsq_f16, f16, lanes_v_rsq_f32)
    TRANS_AS(v_sqrt_f16, f16, lanes_v_sqrt_f32)
    TRANS_AS(v_sin_f16, f16, lanes_v_sin_f32)
    TRANS_AS(v_cos_f16, f16, lanes_v_cos_f32)
    SIM_AS(v_div_scale_f32, "=f32,=m64,f32,f32,f32", sim_valu, BOTH, SIM_V_RAW, SIM_V_NEAREST, lanes_div_scale_f32)
    SIM_AS(v_div_scale_f64, "=f64,=m64,f64,f64,f64", sim_valu, BOTH, SIM_V_RAW, SIM_V_NEAREST, lanes_div_scale_f64)
    SIM_AS(v_div_fmas_f32, "=f32,f32,f32,f32", sim_valu, BOTH, SIM_V_READS_VCC, 0, lanes_div_fmas_f32)
    SIM_AS(v_div_fmas_f64, "=f64,f64,f64,f64", sim_valu, BOTH, SIM_V_READS_VCC, 0, lanes_div_fmas_f64)
    SIM_AS(v_div_fixup_f32, "=f32,f32,f32,f32", sim_valu, BOTH, 0, 0, lanes_div_fixup_f32)
    SIM_AS(v_div_fixup_f64, "=f64,f64,f64,f64", sim_valu, BOTH, 0, 0, lanes_div_fixup_f64)
    SIM_AS(v_div_fixup_f16, "=f16,f16,f16,f16", sim_valu, BOTH, SIM_V_NARROW | SIM_V_KEEP_HIGH, 0, lanes_div_fixup_f16)
    SIM_AS(v_div_fixup_legacy_f16, "=f16,f16,f16,f16", sim_valu, BOTH, SIM_V_NARROW, 0, lanes_div_fixup_f16)
    SIM_AS(v_trig_preop_f64, "=f64,f64,u32", sim_valu, BOTH, 0, SIM_V_NEAREST, lanes_trig_preop)
    // clang-format on
};
SIM_EXPORT_TABLE(sim_table_valu_trans, rows);
