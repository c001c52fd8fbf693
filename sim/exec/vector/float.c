// SPDX-License-Identifier: MIT
// Vector ALU rows of f32 and f16 arithmetic and their packed forms. An f16 row uses the f32 lane function of
// its name: the handler widens the sources and rounds the result once more. That is the correctly rounded f16
// result for +, -, * (f32 has more than twice the bits of f16 plus two); fma keeps a sticky bit instead.
#include "sim/exec/vector/number.h"
#include "sim/exec/vector/vector.h"

static inline float minimum(float a, float b) {  // IEEE 754-2019: NaN wins, -0 < +0
  float r = sim_f32(sim_pick_min32(sim_bits32(a), sim_bits32(b)));
  return sim_nan2(((a != a) | (b != b)) ? sim_f32(SIM_NAN32) : r, a, b);
}
static inline float maximum(float a, float b) {
  float r = sim_f32(sim_pick_max32(sim_bits32(a), sim_bits32(b)));
  return sim_nan2(((a != a) | (b != b)) ? sim_f32(SIM_NAN32) : r, a, b);
}

// Returns the median of three numbers; with a NaN among them, their min3 (CDNA3 ISA, V_MED3_F32).
static inline float med3(float a, float b, float c, uint32_t mode) {
  uint32_t ua = sim_bits32(a), ub = sim_bits32(b), uc = sim_bits32(c);
  uint32_t low = sim_bits32(sim_min32(sim_min32(a, b, mode), c, mode));
  uint32_t median = sim_pick_max32(sim_pick_min32(ua, ub), sim_pick_min32(sim_pick_max32(ua, ub), uc));
  return sim_f32(sim_isnan32(ua) | sim_isnan32(ub) | sim_isnan32(uc) ? low : median);
}

// The sign is set apart because host code for floor may lose that of a zero under other rounding modes.
static inline float floor_f32(float a) { return copysignf(floorf(a), a); }
static inline float ceil_f32(float a) { return copysignf(ceilf(a), a); }
static inline float trunc_f32(float a) { return copysignf(truncf(a), a); }

// Returns x - floor(x), kept below one (LLVM matches v_fract as min(x - floor(x), largest number below 1)).
static inline float fract(float a, float below_one) {
  float r = a - floor_f32(a);
  return sim_nan1(r < below_one || r != r ? r : below_one, a);
}

// Returns a * 2^b, rounded once: the product is exact in f64 for every exponent that matters.
static inline float scale(float a, int32_t b) {
  int32_t e = b < -300 ? -300 : b > 300 ? 300 : b;
  double power = sim_f64((uint64_t)(e + 1023) << 52);
  return sim_nan1((float)((double)a * power), a);
}

// v_frexp_mant: the result is in [0.5, 1); infinities, NaN and zeros pass unchanged.
static inline float frexp_mant(float a) {
  uint32_t bits = sim_bits32(a), magnitude = bits & 0x7fffffffu;
  uint32_t normal = sim_bits32(magnitude < 0x800000u ? a * 0x1p24f : a);
  uint32_t mantissa = (normal & 0x807fffffu) | 0x3f000000u;
  bool pass = magnitude == 0 || magnitude >= 0x7f800000u;
  return sim_nan1(sim_f32(pass ? bits : mantissa), a);
}
// Zero for zeros, infinities and NaN.
static inline int32_t frexp_exp(float a) {
  uint32_t magnitude = sim_bits32(a) & 0x7fffffffu;
  bool tiny = magnitude < 0x800000u;
  uint32_t normal = sim_bits32(tiny ? fabsf(a) * 0x1p24f : fabsf(a));
  int32_t exponent = (int32_t)(normal >> 23) - 126 - (tiny ? 24 : 0);
  return magnitude == 0 || magnitude >= 0x7f800000u ? 0 : exponent;
}

static inline float fma_half(float a, float b, float c) {
  return sim_nan3(sim_round_odd((double)a * (double)b + (double)c), a, b, c);
}
// v_mad_f16 and v_mac_f16 round the product to f16 before adding.
static inline float mad_half(float a, float b, float c, uint32_t mode) {
  uint32_t exact = sim_bits32(a * b), rounding = mode >> 2 & 3;
  uint32_t half = rounding ? SIM_VARIANT_NAME(sim_to_f16_mode)(exact, rounding) : sim_to_f16(exact);
  float product = sim_f32(sim_from_f16(half));
  return sim_nan3(product + c, a, b, c);
}

// These select the face of a cube map (CDNA3 ISA, V_CUBEID_F32 ...).
#define Z_MAJOR (fabsf(c) >= fabsf(a) && fabsf(c) >= fabsf(b))
#define Y_MAJOR (fabsf(b) >= fabsf(a))

#define LINES(L1, L2, L3, R2)                                                                                \
  L2(v_add_f32, f32, f32, f32, BOTH, 0, sim_nan2(a + b, a, b))                                               \
  L2(v_sub_f32, f32, f32, f32, BOTH, 0, sim_nan2(a - b, a, b))                                               \
  L2(v_subrev_f32, f32, f32, f32, BOTH, 0, sim_nan2(b - a, a, b))                                            \
  L2(v_mul_f32, f32, f32, f32, BOTH, 0, sim_nan2(a *b, a, b))                                                \
  L2(v_mul_legacy_f32, f32, f32, f32, BOTH, 0, a == 0 || b == 0 ? 0.0f : sim_nan2(a * b, a, b))              \
  L2(v_min_f32, f32, f32, f32, BOTH, 0, sim_min32(a, b, x->mode))                                            \
  L2(v_max_f32, f32, f32, f32, BOTH, 0, sim_max32(a, b, x->mode))                                            \
  L3(v_min3_f32, f32, f32, f32, f32, BOTH, 0, sim_min32(sim_min32(a, b, x->mode), c, x->mode))               \
  L3(v_max3_f32, f32, f32, f32, f32, BOTH, 0, sim_max32(sim_max32(a, b, x->mode), c, x->mode))               \
  L3(v_med3_f32, f32, f32, f32, f32, BOTH, 0, med3(a, b, c, x->mode))                                        \
  L3(v_minimum3_f32, f32, f32, f32, f32, GFX950, 0, minimum(minimum(a, b), c))                               \
  L3(v_maximum3_f32, f32, f32, f32, f32, GFX950, 0, maximum(maximum(a, b), c))                               \
  L3(v_fma_f32, f32, f32, f32, f32, BOTH, 0, sim_nan3(fmaf(a, b, c), a, b, c))                               \
  L3(v_fmaak_f32, f32, f32, f32, f32, BOTH, 0, sim_nan3(fmaf(a, b, c), a, b, c))                             \
  L3(v_fmamk_f32, f32, f32, f32, f32, BOTH, 0, sim_nan3(fmaf(a, b, c), a, b, c))                             \
  R2(v_fmac_f32, f32, f32, f32, BOTH, 0, sim_nan3(fmaf(a, b, c), a, b, c))                                   \
  L2(v_ldexp_f32, f32, f32, i32, BOTH, 0, scale(a, b))                                                       \
  L1(v_floor_f32, f32, f32, BOTH, 0, sim_nan1(floor_f32(a), a))                                              \
  L1(v_ceil_f32, f32, f32, BOTH, 0, sim_nan1(ceil_f32(a), a))                                                \
  L1(v_trunc_f32, f32, f32, BOTH, 0, sim_nan1(trunc_f32(a), a))                                              \
  L1(v_fract_f32, f32, f32, BOTH, 0, fract(a, 0x1.fffffep-1f))                                               \
  L1(v_fract_f16, f16, f16, BOTH, 0, fract(a, 0x1.ffcp-1f))                                                  \
  L1(v_frexp_mant_f32, f32, f32, BOTH, 0, frexp_mant(a))                                                     \
  L1(v_frexp_exp_i32_f32, i32, f32, BOTH, 0, frexp_exp(a))                                                   \
  L1(v_frexp_exp_i16_f16, i16, f16, BOTH, 0, frexp_exp(a))                                                   \
  L3(v_fma_f16, f16, f16, f16, f16, BOTH, SIM_V_KEEP_HIGH, fma_half(a, b, c))                                \
  L3(v_mad_f16, f16, f16, f16, f16, BOTH, SIM_V_KEEP_HIGH, mad_half(a, b, c, x->mode))                       \
  L3(v_cubeid_f32, f32, f32, f32, f32, BOTH, 0,                                                              \
     Z_MAJOR   ? (c < 0 ? 5.0f : 4.0f)                                                                       \
     : Y_MAJOR ? (b < 0 ? 3.0f : 2.0f)                                                                       \
               : (a < 0 ? 1.0f : 0.0f))                                                                      \
  L3(v_cubesc_f32, f32, f32, f32, f32, BOTH, 0, Z_MAJOR ? (c < 0 ? -a : a) : Y_MAJOR ? a : (a < 0 ? c : -c)) \
  L3(v_cubetc_f32, f32, f32, f32, f32, BOTH, 0, Z_MAJOR ? -b : Y_MAJOR ? (b < 0 ? -c : c) : -b)              \
  L3(v_cubema_f32, f32, f32, f32, f32, BOTH, 0, 2.0f * (Z_MAJOR ? c : Y_MAJOR ? b : a))

LINES(SIM_DEF1, SIM_DEF2, SIM_DEF3, SIM_DEFR2)
SIM_FN1(lanes_rndne, f32, f32, sim_nan1(rintf(a), a))

// v_pk_mov_b32: each half of the result picks a dword of one source (CDNA3 ISA, V_PK_MOV_B32).
SIM_LANES_FN(lanes_pk_mov, const uint32_t low = x->op->op_sel & 1 ? pa[SIM_LANES + l] : pa[l];
             const uint32_t high = x->op->op_sel & 2 ? pb[SIM_LANES + l] : pb[l]; d[l] = low;
             d[SIM_LANES + l] = high;)

#define HALF1(m, fn) SIM_AS(m, "=f16,f16", sim_valu, BOTH, SIM_V_NARROW, 0, fn)
#define HALF2(m, fn) SIM_AS(m, "=f16,f16,f16", sim_valu, BOTH, SIM_V_NARROW, 0, fn)
#define HALF3(m, flags, fn) SIM_AS(m, "=f16,f16,f16,f16", sim_valu, BOTH, SIM_V_NARROW | (flags), 0, fn)
#define PACKED2(m, fn) SIM_AS(m, "=pkf16,pkf16,pkf16", sim_valu, BOTH, SIM_V_NARROW, 0, fn)
#define PACKED3(m, chips, fn) SIM_AS(m, "=pkf16,pkf16,pkf16,pkf16", sim_valu, chips, SIM_V_NARROW, 0, fn)
#define MIX(m, result, flags, arg) \
  SIM_AS(m, result ",f32,f32,f32", sim_valu, BOTH, SIM_V_NARROW | SIM_V_MIX | (flags), arg, lanes_v_fma_f32)

static const sim_opinfo rows[] = {
    LINES(SIM_ROW1, SIM_ROW2, SIM_ROW3, SIM_ROWR2)
    // clang-format off
    SIM_AS(v_rndne_f32, "=f32,f32", sim_valu, BOTH, 0, SIM_V_NEAREST, lanes_rndne)
    SIM_AS(v_rndne_f16, "=f16,f16", sim_valu, BOTH, SIM_V_NARROW, SIM_V_NEAREST, lanes_rndne)
    HALF2(v_add_f16, lanes_v_add_f32)
    HALF2(v_sub_f16, lanes_v_sub_f32)
    HALF2(v_subrev_f16, lanes_v_subrev_f32)
    HALF2(v_mul_f16, lanes_v_mul_f32)
    HALF2(v_min_f16, lanes_v_min_f32)
    HALF2(v_max_f16, lanes_v_max_f32)
    HALF3(v_min3_f16, SIM_V_KEEP_HIGH, lanes_v_min3_f32)
    HALF3(v_max3_f16, SIM_V_KEEP_HIGH, lanes_v_max3_f32)
    HALF3(v_med3_f16, SIM_V_KEEP_HIGH, lanes_v_med3_f32)
    HALF3(v_fma_legacy_f16, 0, lanes_v_fma_f16)
    HALF3(v_mad_legacy_f16, 0, lanes_v_mad_f16)
    HALF3(v_madak_f16, 0, lanes_v_mad_f16)
    HALF3(v_madmk_f16, 0, lanes_v_mad_f16)
    SIM_AS(v_mac_f16, "=f16,f16,f16", sim_valu, BOTH, SIM_V_NARROW | SIM_V_READS_DST | SIM_ROW_USES_DST, 0, lanes_v_mad_f16)
    SIM_AS(v_ldexp_f16, "=f16,f16,i16", sim_valu, BOTH, SIM_V_NARROW, 0, lanes_v_ldexp_f32)
    HALF1(v_floor_f16, lanes_v_floor_f32)
    HALF1(v_ceil_f16, lanes_v_ceil_f32)
    HALF1(v_trunc_f16, lanes_v_trunc_f32)
    HALF1(v_frexp_mant_f16, lanes_v_frexp_mant_f32)
    PACKED2(v_pk_add_f16, lanes_v_add_f32)
    PACKED2(v_pk_mul_f16, lanes_v_mul_f32)
    PACKED2(v_pk_min_f16, lanes_v_min_f32)
    PACKED2(v_pk_max_f16, lanes_v_max_f32)
    PACKED3(v_pk_fma_f16, BOTH, lanes_v_fma_f16)
    PACKED3(v_pk_minimum3_f16, GFX950, lanes_v_minimum3_f32)
    PACKED3(v_pk_maximum3_f16, GFX950, lanes_v_maximum3_f32)
    SIM_AS(v_pk_fmac_f16, "=pkf16,pkf16,pkf16", sim_valu, BOTH, SIM_V_NARROW | SIM_V_READS_DST | SIM_ROW_USES_DST, 0, lanes_v_fma_f16)
    SIM_AS(v_pk_add_f32, "=pkf32,pkf32,pkf32", sim_valu_pair, BOTH, SIM_ROW_PACKED_DWORDS, 0, lanes_v_add_f32)
    SIM_AS(v_pk_mul_f32, "=pkf32,pkf32,pkf32", sim_valu_pair, BOTH, SIM_ROW_PACKED_DWORDS, 0, lanes_v_mul_f32)
    SIM_AS(v_pk_fma_f32, "=pkf32,pkf32,pkf32,pkf32", sim_valu_pair, BOTH, SIM_ROW_PACKED_DWORDS, 0, lanes_v_fma_f32)
    SIM_AS(v_pk_mov_b32, "=b64,b64,b64", sim_valu, BOTH, SIM_ROW_PACKED_DWORDS | SIM_ROW_PICKS, 0, lanes_pk_mov)
    MIX(v_fma_mix_f32, "=f32", 0, 0)
    MIX(v_fma_mixlo_f16, "=f16", SIM_V_KEEP_HIGH, 0)
    MIX(v_fma_mixhi_f16, "=f16", SIM_V_KEEP_HIGH, SIM_V_HIGH)
    // clang-format on
};
SIM_EXPORT_TABLE(sim_table_valu_float, rows);
