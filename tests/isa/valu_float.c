// SPDX-License-Identifier: MIT
// Floating-point arithmetic of the vector ALU in f16, f32 and f64 against the host's IEEE arithmetic under
// every rounding mode, with denormals kept and flushed, IEEE on and off; min and max word for word from the
// manual. NaN results may be any quiet NaN where the manual does not say which.
#include "tests/isa/valu_host.h"

// ---- f32

HOST_OP(sum32, float, 0, a + b)
HOST_OP(difference32, float, 0, a - b)
HOST_OP(product32, float, 0, a *b)
HOST_OP(fused32, float, 0, fmaf(a, b, c))

static bool signalling32(uint32_t v) { return (v & 0x7fffffff) > 0x7f800000 && !(v & 0x400000); }

// Computes V_MIN_F32 and V_MAX_F32 of the manual; `greater` says which.
static uint32_t extreme32(const valu_lane *x, uint32_t a, uint32_t b, bool greater) {
  float fa = sim_f32(a), fb = sim_f32(b);
  bool ieee = x->mode & 0x200;
  if (ieee && signalling32(a)) return a | 0x400000;
  if (ieee && signalling32(b)) return b | 0x400000;
  if (isnan(fa)) return b;
  if (isnan(fb)) return a;
  if (fa == 0 && fb == 0) return greater ? (a >> 31 ? b : a) : (a >> 31 ? a : b);
  return greater ? (fa > fb ? a : b) : (fa < fb ? a : b);
}
static uint32_t src32(const valu_lane *x, uint64_t v) { return sim_bits32(in32(x, v)); }
static uint32_t min32(const valu_lane *x, uint32_t a, uint32_t b) { return extreme32(x, a, b, false); }
static uint32_t max32(const valu_lane *x, uint32_t a, uint32_t b) { return extreme32(x, a, b, true); }
static uint32_t med32(const valu_lane *x, uint32_t a, uint32_t b, uint32_t c) {
  float fa = sim_f32(a), fb = sim_f32(b), fc = sim_f32(c);
  if (isnan(fa) || isnan(fb) || isnan(fc)) return min32(x, min32(x, a, b), c);
  uint32_t top = max32(x, max32(x, a, b), c);
  return top == a ? max32(x, b, c) : top == b ? max32(x, a, c) : max32(x, a, b);
}
// Is minimum or maximum of IEEE 754-2019: NaN wins, -0 is below +0.
static float bound32(float a, float b, bool greater) {
  if (isnan(a) || isnan(b)) return NAN;
  if (a == 0 && b == 0) return (signbit(a) != 0) != greater ? a : b;
  return greater ? fmaxf(a, b) : fminf(a, b);
}

static float fract32(const valu_lane *x, float a) {
  if (isinf(a)) return NAN;
  float r = difference32(x, a, floorf(a), 0);
  return r >= 1 ? 0x1.fffffep-1f : r;
}
static float mantissa32(float a) {
  int e;
  return isfinite(a) ? frexpf(a, &e) : a;
}
static int exponent_of(double a) {
  int e = 0;
  if (isfinite(a)) frexp(a, &e);
  return a == 0 ? 0 : e;
}
__attribute__((noinline)) static float narrowed(const valu_lane *x, double v0) {
  volatile double v = v0;
  fesetround(host_rounding(x->mode));
  volatile float r = (float)v;
  fesetround(FE_TONEAREST);
  return r;
}
static float scaled32(const valu_lane *x, float a, int32_t by) {
  return narrowed(x, ldexp((double)a, by > 400 ? 400 : by < -400 ? -400 : by));
}

// Cube maps: 0 z is major, 1 y, 2 x.
static int major(float a, float b, float c) {
  return fabsf(c) >= fabsf(a) && fabsf(c) >= fabsf(b) ? 0 : fabsf(b) >= fabsf(a) ? 1 : 2;
}
static float cube_id(float a, float b, float c) {
  int m = major(a, b, c);
  return m == 0 ? (c < 0 ? 5 : 4) : m == 1 ? (b < 0 ? 3 : 2) : (a < 0 ? 1 : 0);
}
static float cube_s(float a, float b, float c) {
  int m = major(a, b, c);
  return m == 0 ? (c < 0 ? -a : a) : m == 1 ? a : (a < 0 ? c : -c);
}
static float cube_t(float a, float b, float c) {
  int m = major(a, b, c);
  return m == 1 ? (b < 0 ? -c : c) : -b;
}
static float cube_major(float a, float b, float c) {
  int m = major(a, b, c);
  return m == 0 ? c : m == 1 ? b : a;
}

#define A32 in32(x, x->a)
#define B32 in32(x, x->b)
#define C32 in32(x, x->c)
#define D32 in32(x, x->old)
#define SINGLE(X)                                                                                      \
  X(add_f32, "v_add_f32 v0, v2, v4", BOTH, F32, out32(x, sum32(x, A32, B32, 0)))                       \
  X(add_f32_signs, "v_add_f32 v0, -v2, |v4|", BOTH, F32, out32(x, sum32(x, -A32, fabsf(B32), 0)))      \
  X(sub_f32, "v_sub_f32 v0, v2, v4", BOTH, F32, out32(x, difference32(x, A32, B32, 0)))                \
  X(subrev_f32, "v_subrev_f32 v0, v2, v4", BOTH, F32, out32(x, difference32(x, B32, A32, 0)))          \
  X(mul_f32, "v_mul_f32 v0, v2, v4", BOTH, F32, out32(x, product32(x, A32, B32, 0)))                   \
  X(mul_legacy, "v_mul_legacy_f32 v0, v2, v4", BOTH, F32,                                              \
    A32 == 0 || B32 == 0 ? 0 : out32(x, product32(x, A32, B32, 0)))                                    \
  X(fma_f32, "v_fma_f32 v0, v2, v4, v6", BOTH, F32, out32(x, fused32(x, A32, B32, C32)))               \
  X(fma_f32_signs, "v_fma_f32 v0, |v2|, -v4, -|v6|", BOTH, F32,                                        \
    out32(x, fused32(x, fabsf(A32), -B32, -fabsf(C32))))                                               \
  X(fmac_f32, "v_fmac_f32 v0, v2, v4", BOTH, F32, out32(x, fused32(x, A32, B32, D32)))                 \
  X(fmamk_f32, "v_fmamk_f32 v0, v2, 0x40490fdb, v4", BOTH, F32,                                        \
    out32(x, fused32(x, A32, sim_f32(0x40490fdb), B32)))                                               \
  X(fmaak_f32, "v_fmaak_f32 v0, v2, v4, 0xc0490fdb", BOTH, F32,                                        \
    out32(x, fused32(x, A32, B32, sim_f32(0xc0490fdb))))                                               \
  X(min_f32, "v_min_f32 v0, v2, v4", BOTH, B32, out32(x, sim_f32(min32(x, src32(x, a), src32(x, b))))) \
  X(max_f32, "v_max_f32 v0, v2, v4", BOTH, B32, out32(x, sim_f32(max32(x, src32(x, a), src32(x, b))))) \
  X(min3_f32, "v_min3_f32 v0, v2, v4, v6", BOTH, B32,                                                  \
    out32(x, sim_f32(min32(x, min32(x, src32(x, a), src32(x, b)), src32(x, c)))))                      \
  X(max3_f32, "v_max3_f32 v0, v2, v4, v6", BOTH, B32,                                                  \
    out32(x, sim_f32(max32(x, max32(x, src32(x, a), src32(x, b)), src32(x, c)))))                      \
  X(med3_f32, "v_med3_f32 v0, v2, v4, v6", BOTH, B32,                                                  \
    out32(x, sim_f32(med32(x, src32(x, a), src32(x, b), src32(x, c)))))                                \
  X(minimum3_f32, "v_minimum3_f32 v0, v2, v4, v6", GFX950, F32,                                        \
    out32(x, bound32(bound32(A32, B32, false), C32, false)))                                           \
  X(maximum3_f32, "v_maximum3_f32 v0, v2, v4, v6", GFX950, F32,                                        \
    out32(x, bound32(bound32(A32, B32, true), C32, true)))                                             \
  X(ldexp_f32, "v_ldexp_f32 v0, v2, v4", BOTH, F32, out32(x, scaled32(x, A32, (int32_t)b)))            \
  X(floor_f32, "v_floor_f32 v0, v2", BOTH, F32, out32(x, floorf(A32)))                                 \
  X(ceil_f32, "v_ceil_f32 v0, v2", BOTH, F32, out32(x, ceilf(A32)))                                    \
  X(trunc_f32, "v_trunc_f32 v0, v2", BOTH, F32, out32(x, truncf(A32)))                                 \
  X(rndne_f32, "v_rndne_f32 v0, v2", BOTH, F32, out32(x, rintf(A32)))                                  \
  X(fract_f32, "v_fract_f32 v0, v2", BOTH, F32, out32(x, fract32(x, A32)))                             \
  X(frexp_mant_f32, "v_frexp_mant_f32 v0, v2", BOTH, F32, out32(x, mantissa32(A32)))                   \
  X(frexp_exp_f32, "v_frexp_exp_i32_f32 v0, v2", BOTH, B32, exponent_of(A32))                          \
  X(cubeid, "v_cubeid_f32 v0, v2, v4, v6", BOTH, F32, sim_bits32(cube_id(A32, B32, C32)))              \
  X(cubesc, "v_cubesc_f32 v0, v2, v4, v6", BOTH, F32, out32(x, cube_s(A32, B32, C32)))                 \
  X(cubetc, "v_cubetc_f32 v0, v2, v4, v6", BOTH, F32, out32(x, cube_t(A32, B32, C32)))                 \
  X(cubema, "v_cubema_f32 v0, v2, v4, v6", BOTH, F32, out32(x, product32(x, cube_major(A32, B32, C32), 2, 0)))

// Packed f32: the high half works on bits 63:32 of each source.
static uint64_t both32(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }
#define HA32 in32(x, x->a >> 32)
#define HB32 in32(x, x->b >> 32)
#define HC32 in32(x, x->c >> 32)
#define PACKED_SINGLE(X)                                                                                  \
  X(pk_add_f32, "v_pk_add_f32 v[0:1], v[2:3], v[4:5]", BOTH, PKF32,                                       \
    both32(out32(x, sum32(x, A32, B32, 0)), out32(x, sum32(x, HA32, HB32, 0))))                           \
  X(pk_mul_f32, "v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[0,1] op_sel_hi:[1,0]", BOTH, PKF32,          \
    both32(out32(x, product32(x, A32, HB32, 0)), out32(x, product32(x, HA32, B32, 0))))                   \
  X(pk_fma_f32, "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] neg_lo:[1,0,0] neg_hi:[0,0,1]", BOTH, PKF32, \
    both32(out32(x, fused32(x, -A32, B32, C32)), out32(x, fused32(x, HA32, HB32, -HC32))))                \
  X(pk_mov, "v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]", BOTH, B64, both32(x->a >> 32, b))

// ---- f64

HOST_OP(sum64, double, 2, a + b)
HOST_OP(difference64, double, 2, a - b)
HOST_OP(product64, double, 2, a *b)
HOST_OP(fused64, double, 2, fma(a, b, c))

static bool signalling64(uint64_t v) {
  return (v & 0x7fffffffffffffff) > 0x7ff0000000000000 && !(v >> 51 & 1);
}
static uint64_t extreme64(const valu_lane *x, uint64_t a, uint64_t b, bool greater) {
  double fa = sim_f64(a), fb = sim_f64(b);
  bool ieee = x->mode & 0x200;
  if (ieee && signalling64(a)) return a | 1ull << 51;
  if (ieee && signalling64(b)) return b | 1ull << 51;
  if (isnan(fa)) return b;
  if (isnan(fb)) return a;
  if (fa == 0 && fb == 0) return greater ? (a >> 63 ? b : a) : (a >> 63 ? a : b);
  return greater ? (fa > fb ? a : b) : (fa < fb ? a : b);
}
static uint64_t src64(const valu_lane *x, uint64_t v) { return sim_bits64(in64(x, v)); }
static double fract64(const valu_lane *x, double a) {
  if (isinf(a)) return NAN;
  double r = difference64(x, a, floor(a), 0);
  return r >= 1 ? 0x1.fffffffffffffp-1 : r;
}
static double mantissa64(double a) {
  int e;
  return isfinite(a) ? frexp(a, &e) : a;
}
__attribute__((noinline)) static double scaled64(const valu_lane *x, double a, int32_t by) {
  volatile long double v = ldexpl((long double)a, by > 4000 ? 4000 : by < -4000 ? -4000 : by);
  fesetround(host_rounding(x->mode >> 2));
  volatile double r = (double)v;
  fesetround(FE_TONEAREST);
  return r;
}

#define A64 in64(x, x->a)
#define B64 in64(x, x->b)
#define C64 in64(x, x->c)
#define DOUBLE(X)                                                                                        \
  X(add_f64, "v_add_f64 v[0:1], v[2:3], v[4:5]", BOTH, F64, out64(x, sum64(x, A64, B64, 0)))             \
  X(mul_f64, "v_mul_f64 v[0:1], v[2:3], v[4:5]", BOTH, F64, out64(x, product64(x, A64, B64, 0)))         \
  X(mul_f64_signs, "v_mul_f64 v[0:1], |v[2:3]|, -v[4:5]", BOTH, F64,                                     \
    out64(x, product64(x, fabs(A64), -B64, 0)))                                                          \
  X(fma_f64, "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", BOTH, F64, out64(x, fused64(x, A64, B64, C64))) \
  X(fmac_f64, "v_fmac_f64 v[0:1], v[2:3], v[4:5]", BOTH, F64,                                            \
    out64(x, fused64(x, A64, B64, in64(x, x->old))))                                                     \
  X(min_f64, "v_min_f64 v[0:1], v[2:3], v[4:5]", BOTH, B64,                                              \
    out64(x, sim_f64(extreme64(x, src64(x, x->a), src64(x, x->b), false))))                              \
  X(max_f64, "v_max_f64 v[0:1], v[2:3], v[4:5]", BOTH, B64,                                              \
    out64(x, sim_f64(extreme64(x, src64(x, x->a), src64(x, x->b), true))))                               \
  X(ldexp_f64, "v_ldexp_f64 v[0:1], v[2:3], v4", BOTH, F64, out64(x, scaled64(x, A64, (int32_t)b)))      \
  X(floor_f64, "v_floor_f64 v[0:1], v[2:3]", BOTH, F64, out64(x, floor(A64)))                            \
  X(ceil_f64, "v_ceil_f64 v[0:1], v[2:3]", BOTH, F64, out64(x, ceil(A64)))                               \
  X(trunc_f64, "v_trunc_f64 v[0:1], v[2:3]", BOTH, F64, out64(x, trunc(A64)))                            \
  X(rndne_f64, "v_rndne_f64 v[0:1], v[2:3]", BOTH, F64, out64(x, rint(A64)))                             \
  X(fract_f64, "v_fract_f64 v[0:1], v[2:3]", BOTH, F64, out64(x, fract64(x, A64)))                       \
  X(frexp_mant_f64, "v_frexp_mant_f64 v[0:1], v[2:3]", BOTH, F64, out64(x, mantissa64(A64)))             \
  X(frexp_exp_f64, "v_frexp_exp_i32_f64 v0, v[2:3]", BOTH, B32, exponent_of(A64))

SINGLE(VALU_DEFINE)
PACKED_SINGLE(VALU_DEFINE)
DOUBLE(VALU_DEFINE)
static const valu_op ops[] = {SINGLE(VALU_ROW) PACKED_SINGLE(VALU_ROW) DOUBLE(VALU_ROW)};

int main(void) {
  // These are the compilers' default; IEEE and DX10_CLAMP off; the other roundings; denormals flushed on both
  // sides, on one.
  static const uint32_t modes[] = {0x3f0, 0x0f0, 0x3f5, 0x3fa, 0x3ff, 0x300, 0x3a0, 0x350};
  valu_check(ops, sizeof ops / sizeof ops[0], modes, sizeof modes / sizeof modes[0], 6);
  return test_result();
}
