// SPDX-License-Identifier: MIT
// Has the vector ALU rows on 64-bit values: moves, shifts, adds, the 32x32+64 multiply-adds, f64 arithmetic,
// and the quad sums of absolute differences.
#include "sim/exec/vector/bits.h"
#include "sim/exec/vector/number.h"
#include "sim/exec/vector/vector.h"

// The sign is set apart because host code for floor may lose that of a zero under other rounding modes.
static inline double floor64(double a) { return copysign(floor(a), a); }
static inline double ceil64(double a) { return copysign(ceil(a), a); }
static inline double trunc64(double a) { return copysign(trunc(a), a); }

static inline double fract64(double a) {
  const double below_one = 0x1.fffffffffffffp-1;
  double r = a - floor64(a);
  return sim_dnan1(r < below_one || r != r ? r : below_one, a);
}
static inline double frexp_mant64(double a) {
  uint64_t bits = sim_bits64(a), magnitude = bits & 0x7fffffffffffffffu;
  uint64_t normal = sim_bits64(magnitude >> 52 ? a : a * 0x1p54);
  uint64_t mantissa = (normal & 0x800fffffffffffffu) | 0x3fe0000000000000u;
  bool pass = magnitude == 0 || magnitude >= 0x7ff0000000000000u;
  return sim_dnan1(sim_f64(pass ? bits : mantissa), a);
}
static inline int32_t frexp_exp64(double a) {
  uint64_t magnitude = sim_bits64(a) & 0x7fffffffffffffffu;
  bool tiny = !(magnitude >> 52);
  uint64_t normal = sim_bits64(tiny ? fabs(a) * 0x1p54 : fabs(a));
  int32_t exponent = (int32_t)(normal >> 52) - 1022 - (tiny ? 54 : 0);
  return magnitude == 0 || magnitude >= 0x7ff0000000000000u ? 0 : exponent;
}

#define LINES(L1, L2, L3, R2)                                                  \
  L1(v_mov_b64, b64, b64, BOTH, 0, a)                                          \
  L2(v_lshlrev_b64, b64, u32, b64, BOTH, 0, b << (a & 63))                     \
  L2(v_lshrrev_b64, b64, u32, b64, BOTH, SIM_ROW_HIGH_TO_LOW, b >> (a & 63))   \
  L2(v_ashrrev_i64, i64, u32, i64, BOTH, SIM_ROW_HIGH_TO_LOW, b >> (a & 63))   \
  L3(v_lshl_add_u64, u64, u64, u32, u64, BOTH, 0, (a << (b & 7)) + c)          \
  L2(v_add_f64, f64, f64, f64, BOTH, 0, sim_dnan2(a + b, a, b))                \
  L2(v_mul_f64, f64, f64, f64, BOTH, 0, sim_dnan2(a *b, a, b))                 \
  L2(v_min_f64, f64, f64, f64, BOTH, 0, sim_min64(a, b, x->mode))              \
  L2(v_max_f64, f64, f64, f64, BOTH, 0, sim_max64(a, b, x->mode))              \
  L3(v_fma_f64, f64, f64, f64, f64, BOTH, 0, sim_dnan3(fma(a, b, c), a, b, c)) \
  R2(v_fmac_f64, f64, f64, f64, BOTH, 0, sim_dnan3(fma(a, b, c), a, b, c))     \
  L2(v_ldexp_f64, f64, f64, i32, BOTH, 0, sim_dnan1(scalbn(a, b), a))          \
  L1(v_floor_f64, f64, f64, BOTH, 0, sim_dnan1(floor64(a), a))                 \
  L1(v_ceil_f64, f64, f64, BOTH, 0, sim_dnan1(ceil64(a), a))                   \
  L1(v_trunc_f64, f64, f64, BOTH, 0, sim_dnan1(trunc64(a), a))                 \
  L1(v_fract_f64, f64, f64, BOTH, 0, fract64(a))                               \
  L1(v_frexp_mant_f64, f64, f64, BOTH, 0, frexp_mant64(a))                     \
  L1(v_frexp_exp_i32_f64, i32, f64, BOTH, 0, frexp_exp64(a))

LINES(SIM_DEF1, SIM_DEF2, SIM_DEF3, SIM_DEFR2)
SIM_FN1(lanes_rndne64, f64, f64, sim_dnan1(rint(a), a))

// This is the 65-bit sum: its top bit goes to the mask; clamp saturates.
SIM_LANES_FN(lanes_mad_u64, const uint64_t product = (uint64_t)pa[l] * pb[l];
             const uint64_t addend = sim_get64(pc, l); const uint64_t sum = product + addend;
             const uint32_t over = sum < product; sim_put64(d, l, x->clamp &&over ? UINT64_MAX : sum);
             d[2 * SIM_LANES + l] = over;)
SIM_LANES_FN(lanes_mad_i64, const int64_t product = (int64_t)(int32_t)pa[l] * (int32_t)pb[l];
             const uint64_t addend = sim_get64(pc, l); const uint64_t sum = (uint64_t)product + addend;
             // This is bit 64 of the sign-extended sum; it differs from bit 63 exactly when the sum
             // overflows.
             const uint64_t overflow = ((uint64_t)product ^ sum) & (addend ^ sum);
             const uint64_t limit = addend >> 63 ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
             sim_put64(d, l, x->clamp &&overflow >> 63 ? limit : sum);
             d[2 * SIM_LANES + l] = (uint32_t)((overflow ^ sum) >> 63);)

// These compute four sums of absolute differences of b against the four byte windows of a (CDNA3 ISA,
// V_QSAD_PK_U16_U8).
#define WINDOW(i) (uint32_t)(a >> (8 * (i)))
#define QUAD_U16(fn, sad)                                                                  \
  SIM_FN3(fn, b64, b64, b32, b64,                                                          \
          ((uint64_t)((sad(WINDOW(0), b) + (uint32_t)(c & 0xffff)) & 0xffff) |             \
           (uint64_t)((sad(WINDOW(1), b) + (uint32_t)(c >> 16 & 0xffff)) & 0xffff) << 16 | \
           (uint64_t)((sad(WINDOW(2), b) + (uint32_t)(c >> 32 & 0xffff)) & 0xffff) << 32 | \
           (uint64_t)((sad(WINDOW(3), b) + (uint32_t)(c >> 48)) & 0xffff) << 48))
QUAD_U16(lanes_qsad, sim_sad_u8)
QUAD_U16(lanes_mqsad, sim_msad_u8)
SIM_LANES_FN(lanes_mqsad_u32, const uint64_t a = sim_get64(pa, l); const uint32_t b = pb[l];
             const uint32_t s0 = pc[l] + sim_msad_u8(WINDOW(0), b);
             const uint32_t s1 = pc[SIM_LANES + l] + sim_msad_u8(WINDOW(1), b);
             const uint32_t s2 = pc[2 * SIM_LANES + l] + sim_msad_u8(WINDOW(2), b);
             const uint32_t s3 = pc[3 * SIM_LANES + l] + sim_msad_u8(WINDOW(3), b); d[l] = s0;
             d[SIM_LANES + l] = s1; d[2 * SIM_LANES + l] = s2; d[3 * SIM_LANES + l] = s3;)

static const sim_opinfo rows[] = {
    LINES(SIM_ROW1, SIM_ROW2, SIM_ROW3, SIM_ROWR2)
    // clang-format off
    SIM_AS(v_rndne_f64, "=f64,f64", sim_valu, BOTH, 0, SIM_V_NEAREST, lanes_rndne64)
    SIM_AS(v_mad_u64_u32, "=u64,=m64,u32,u32,u64", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_mad_u64)
    SIM_AS(v_mad_i64_i32, "=i64,=m64,i32,i32,i64", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_mad_i64)
    SIM_AS(v_qsad_pk_u16_u8, "=b64,b64,b32,b64", sim_valu, BOTH, 0, 0, lanes_qsad)
    SIM_AS(v_mqsad_pk_u16_u8, "=b64,b64,b32,b64", sim_valu, BOTH, 0, 0, lanes_mqsad)
    SIM_AS(v_mqsad_u32_u8, "=b128,b64,b32,b128", sim_valu_wide, BOTH, 0, 0, lanes_mqsad_u32)
    // clang-format on
};
SIM_EXPORT_TABLE(sim_table_valu_wide, rows);
