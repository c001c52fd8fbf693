// SPDX-License-Identifier: MIT
// Tests integer and bit operations of the vector ALU against expressions written from the manual's
// pseudocode: full 32 or 64 result bits, saturation with clamp, op_sel halves, and what 16-bit results leave
// in the other half (VOP2 clears it, the VOP3 forms of GFX9 keep it: LLVM, SIInstrInfo,
// zeroesHigh16BitsOfDest).
#include "tests/isa/valu_check.h"

static uint32_t lo(uint64_t v) { return (uint32_t)v & 0xffff; }
static uint32_t hi(uint64_t v) { return (uint32_t)v >> 16; }
static int32_t slo(uint64_t v) { return (int16_t)v; }
static int32_t shi(uint64_t v) { return (int16_t)((uint32_t)v >> 16); }
static uint32_t u24(uint32_t v) { return v & 0xffffff; }
static int64_t s24(uint32_t v) { return (v & 0x800000) ? (int64_t)u24(v) - 0x1000000 : (int64_t)u24(v); }
static uint32_t keep(uint32_t old, uint32_t low) { return (old & 0xffff0000u) | (low & 0xffff); }
static uint32_t keep_low(uint32_t old, uint32_t high) { return (old & 0xffff) | high << 16; }
static uint32_t pair(uint32_t low, uint32_t high) { return (low & 0xffff) | high << 16; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t median(int64_t a, int64_t b, int64_t c) { return most(least(a, b), least(most(a, b), c)); }
static int64_t within(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }
static uint32_t su32(int64_t v) { return (uint32_t)within(v, 0, UINT32_MAX); }
static uint32_t si32(int64_t v) { return (uint32_t)within(v, INT32_MIN, INT32_MAX); }
static uint32_t su16(int64_t v) { return (uint32_t)within(v, 0, 65535); }
static uint32_t si16(int64_t v) { return (uint32_t)within(v, -32768, 32767) & 0xffff; }
static uint32_t apart(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
static uint32_t byte(uint64_t v, int i) { return v >> (8 * i) & 255; }

// masked: bytes of the reference that are 0 do not count.
static uint32_t sad8(uint32_t a, uint32_t b, bool masked) {
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i)
    if (!masked || byte(b, i)) sum += apart(byte(a, i), byte(b, i));
  return sum;
}

static uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t c, bool masked) {
  uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t sum = sad8((uint32_t)(a >> (8 * i)), b, masked) + (uint32_t)(c >> (16 * i) & 0xffff);
    result |= (uint64_t)(sum & 0xffff) << (16 * i);
  }
  return result;
}

static int64_t dot(uint32_t a, uint32_t b, int bits, bool is_signed) {
  int64_t sum = 0;
  for (int at = 0; at < 32; at += bits) {
    int64_t x = a >> at & ((1ull << bits) - 1), y = b >> at & ((1ull << bits) - 1);
    if (is_signed && x >> (bits - 1)) x -= 1ll << bits;
    if (is_signed && y >> (bits - 1)) y -= 1ll << bits;
    sum += x * y;
  }
  return sum;
}

static uint32_t ones(uint32_t v) {
  uint32_t count = 0;
  for (; v; v >>= 1) count += v & 1;
  return count;
}
static uint64_t lanes_below(unsigned lane) { return (1ull << lane) - 1; }
static uint64_t carry(int64_t sum) { return (uint32_t)sum | (uint64_t)(sum < 0 || sum > UINT32_MAX) << 32; }
static uint32_t carry_in(const valu_lane *x) { return x->vcc >> x->lane & 1; }

// Computes the eight forms of v_bitop3 bit by bit: table bit 4 * a + 2 * b + c.
static uint32_t bitop3(uint32_t table, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
  return r;
}

#define LOGIC(X)                                                                                       \
  X(mov, "v_mov_b32 v0, v2", BOTH, B32, a)                                                             \
  X(mov64, "v_mov_b64 v[0:1], v[2:3]", BOTH, B64, x->a)                                                \
  X(not32, "v_not_b32 v0, v2", BOTH, B32, ~a)                                                          \
  X(and32, "v_and_b32 v0, v2, v4", BOTH, B32, a &b)                                                    \
  X(or32, "v_or_b32 v0, v2, v4", BOTH, B32, a | b)                                                     \
  X(xor32, "v_xor_b32 v0, v2, v4", BOTH, B32, a ^ b)                                                   \
  X(xnor32, "v_xnor_b32 v0, v2, v4", BOTH, B32, ~(a ^ b))                                              \
  X(and_or, "v_and_or_b32 v0, v2, v4, v6", BOTH, B32, (a & b) | c)                                     \
  X(or3, "v_or3_b32 v0, v2, v4, v6", BOTH, B32, a | b | c)                                             \
  X(bfi, "v_bfi_b32 v0, v2, v4, v6", BOTH, B32, (a & b) | (~a & c))                                    \
  X(lshl_or, "v_lshl_or_b32 v0, v2, v4, v6", BOTH, B32, (a << (b & 31)) | c)                           \
  X(lshl_add, "v_lshl_add_u32 v0, v2, v4, v6", BOTH, B32, (a << (b & 31)) + c)                         \
  X(add_lshl, "v_add_lshl_u32 v0, v2, v4, v6", BOTH, B32, (a + b) << (c & 31))                         \
  X(xad, "v_xad_u32 v0, v2, v4, v6", BOTH, B32, (a ^ b) + c)                                           \
  X(lshlrev, "v_lshlrev_b32 v0, v2, v4", BOTH, B32, b << (a & 31))                                     \
  X(lshrrev, "v_lshrrev_b32 v0, v2, v4", BOTH, B32, b >> (a & 31))                                     \
  X(ashrrev, "v_ashrrev_i32 v0, v2, v4", BOTH, B32, ((int64_t)(int32_t)b) >> (a & 31))                 \
  X(lshlrev64, "v_lshlrev_b64 v[0:1], v2, v[4:5]", BOTH, B64, x->b << (a & 63))                        \
  X(lshrrev64, "v_lshrrev_b64 v[0:1], v2, v[4:5]", BOTH, B64, x->b >> (a & 63))                        \
  X(ashrrev64, "v_ashrrev_i64 v[0:1], v2, v[4:5]", BOTH, B64, (int64_t)x->b >> (a & 63))               \
  X(lshl_add64, "v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]", BOTH, B64, (x->a << (b & 7)) + x->c)      \
  X(alignbit, "v_alignbit_b32 v0, v2, v4, v6", BOTH, B32, ((uint64_t)a << 32 | b) >> (c & 31))         \
  X(alignbyte, "v_alignbyte_b32 v0, v2, v4, v6", BOTH, B32, ((uint64_t)a << 32 | b) >> (8 * (c & 3)))  \
  X(cndmask, "v_cndmask_b32 v0, v2, v4, vcc", BOTH, B32, carry_in(x) ? b : a)                          \
  X(cndmask64, "v_cndmask_b32_e64 v0, v2, v4, s[10:11]", BOTH, B32, carry_in(x) ? b : a)               \
  X(bcnt, "v_bcnt_u32_b32 v0, v2, v4", BOTH, B32, ones(a) + b)                                         \
  X(mbcnt_lo, "v_mbcnt_lo_u32_b32 v0, v2, v4", BOTH, B32, ones(a &(uint32_t)lanes_below(x->lane)) + b) \
  X(mbcnt_hi, "v_mbcnt_hi_u32_b32 v0, v2, v4", BOTH, B32,                                              \
    ones(a &(uint32_t)(lanes_below(x->lane) >> 32)) + b)                                               \
  X(pack, "v_pack_b32_f16 v0, v2, v4", BOTH, B32, pair(a, b))                                          \
  X(pack_sel, "v_pack_b32_f16 v0, v2, v4 op_sel:[1,0,0]", BOTH, B32, pair(hi(a), b))                   \
  X(sat_pk, "v_sat_pk_u8_i16 v0, v2", BOTH, B32, within(slo(a), 0, 255) | within(shi(a), 0, 255) << 8) \
  X(bitop3_and_or, "v_bitop3_b32 v0, v2, v4, v6 bitop3:0xec", GFX950, B32, bitop3(0xec, a, b, c))      \
  X(bitop3_other, "v_bitop3_b32 v0, v2, v4, v6 bitop3:0x59", GFX950, B32, bitop3(0x59, a, b, c))       \
  X(bitop3_b16, "v_bitop3_b16 v0, v2, v4, v6 bitop3:0x2d", GFX950, B32, keep(old, bitop3(0x2d, a, b, c)))

#define ARITHMETIC(X)                                                                                    \
  X(add, "v_add_u32 v0, v2, v4", BOTH, B32, a + b)                                                       \
  X(sub, "v_sub_u32 v0, v2, v4", BOTH, B32, a - b)                                                       \
  X(subrev, "v_subrev_u32 v0, v2, v4", BOTH, B32, b - a)                                                 \
  X(subrev_clamp, "v_subrev_u32 v0, v2, v4 clamp", BOTH, B32, su32((int64_t)b - a))                      \
  X(add_i32, "v_add_i32 v0, v2, v4", BOTH, B32, a + b)                                                   \
  X(sub_i32, "v_sub_i32 v0, v2, v4", BOTH, B32, a - b)                                                   \
  X(sub_i32_clamp, "v_sub_i32 v0, v2, v4 clamp", BOTH, B32, si32((int64_t)(int32_t)a - (int32_t)b))      \
  X(add3, "v_add3_u32 v0, v2, v4, v6", BOTH, B32, a + b + c)                                             \
  X(add_co, "v_add_co_u32 v0, vcc, v2, v4", BOTH, VCC, carry((int64_t)a + b))                            \
  X(sub_co, "v_sub_co_u32 v0, vcc, v2, v4", BOTH, VCC, carry((int64_t)a - b))                            \
  X(subrev_co, "v_subrev_co_u32 v0, vcc, v2, v4", BOTH, VCC, carry((int64_t)b - a))                      \
  X(addc_co, "v_addc_co_u32 v0, vcc, v2, v4, vcc", BOTH, VCC, carry((int64_t)a + b + carry_in(x)))       \
  X(subb_co, "v_subb_co_u32 v0, vcc, v2, v4, vcc", BOTH, VCC, carry((int64_t)a - b - carry_in(x)))       \
  X(subbrev_co, "v_subbrev_co_u32 v0, vcc, v2, v4, vcc", BOTH, VCC, carry((int64_t)b - a - carry_in(x))) \
  X(mul_lo, "v_mul_lo_u32 v0, v2, v4", BOTH, B32, a *b)                                                  \
  X(mul_hi_u, "v_mul_hi_u32 v0, v2, v4", BOTH, B32, (uint64_t)a *b >> 32)                                \
  X(mul_hi_i, "v_mul_hi_i32 v0, v2, v4", BOTH, B32, ((int64_t)(int32_t)a * (int32_t)b) >> 32)            \
  X(mul_u24, "v_mul_u32_u24 v0, v2, v4", BOTH, B32, u24(a) * u24(b))                                     \
  X(mul_i24, "v_mul_i32_i24 v0, v2, v4", BOTH, B32, s24(a) * s24(b))                                     \
  X(mul_hi_u24, "v_mul_hi_u32_u24 v0, v2, v4", BOTH, B32, (uint64_t)u24(a) * u24(b) >> 32)               \
  X(mul_hi_i24, "v_mul_hi_i32_i24 v0, v2, v4", BOTH, B32, (s24(a) * s24(b)) >> 32)                       \
  X(mad_u24, "v_mad_u32_u24 v0, v2, v4, v6", BOTH, B32, u24(a) * u24(b) + c)                             \
  X(mad_u24_clamp, "v_mad_u32_u24 v0, v2, v4, v6 clamp", BOTH, B32, su32((int64_t)u24(a) * u24(b) + c))  \
  X(mad_i24, "v_mad_i32_i24 v0, v2, v4, v6", BOTH, B32, s24(a) * s24(b) + (int32_t)c)                    \
  X(mad_u32_u16, "v_mad_u32_u16 v0, v2, v4, v6", BOTH, B32, lo(a) * lo(b) + c)                           \
  X(mad_u32_u16_sel, "v_mad_u32_u16 v0, v2, v4, v6 op_sel:[1,0,0,0]", BOTH, B32, hi(a) * lo(b) + c)      \
  X(mad_i32_i16, "v_mad_i32_i16 v0, v2, v4, v6", BOTH, B32, slo(a) * slo(b) + (int64_t)(int32_t)c)       \
  X(mad_i32_i16_sel, "v_mad_i32_i16 v0, v2, v4, v6 op_sel:[0,1,0,0]", BOTH, B32,                         \
    slo(a) * shi(b) + (int64_t)(int32_t)c)                                                               \
  X(mad_i32_i16_clamp, "v_mad_i32_i16 v0, v2, v4, v6 clamp", BOTH, B32,                                  \
    si32((int64_t)slo(a) * slo(b) + (int32_t)c))                                                         \
  X(min_i32, "v_min_i32 v0, v2, v4", BOTH, B32, least((int32_t)a, (int32_t)b))                           \
  X(max_i32, "v_max_i32 v0, v2, v4", BOTH, B32, most((int32_t)a, (int32_t)b))                            \
  X(min_u32, "v_min_u32 v0, v2, v4", BOTH, B32, least(a, b))                                             \
  X(max_u32, "v_max_u32 v0, v2, v4", BOTH, B32, most(a, b))                                              \
  X(min3_i32, "v_min3_i32 v0, v2, v4, v6", BOTH, B32, least(least((int32_t)a, (int32_t)b), (int32_t)c))  \
  X(max3_i32, "v_max3_i32 v0, v2, v4, v6", BOTH, B32, most(most((int32_t)a, (int32_t)b), (int32_t)c))    \
  X(med3_i32, "v_med3_i32 v0, v2, v4, v6", BOTH, B32, median((int32_t)a, (int32_t)b, (int32_t)c))        \
  X(min3_u32, "v_min3_u32 v0, v2, v4, v6", BOTH, B32, least(least(a, b), c))                             \
  X(max3_u32, "v_max3_u32 v0, v2, v4, v6", BOTH, B32, most(most(a, b), c))                               \
  X(med3_u32, "v_med3_u32 v0, v2, v4, v6", BOTH, B32, median(a, b, c))                                   \
  X(sad_u8, "v_sad_u8 v0, v2, v4, v6", BOTH, B32, sad8(a, b, false) + c)                                 \
  X(sad_hi_u8, "v_sad_hi_u8 v0, v2, v4, v6", BOTH, B32, (sad8(a, b, false) << 16) + c)                   \
  X(sad_u16, "v_sad_u16 v0, v2, v4, v6", BOTH, B32, apart(lo(a), lo(b)) + apart(hi(a), hi(b)) + c)       \
  X(sad_u32, "v_sad_u32 v0, v2, v4, v6", BOTH, B32, apart(a, b) + c)                                     \
  X(sad_u32_clamp, "v_sad_u32 v0, v2, v4, v6 clamp", BOTH, B32, su32((int64_t)apart(a, b) + c))          \
  X(msad_u8, "v_msad_u8 v0, v2, v4, v6", BOTH, B32, sad8(a, b, true) + c)                                \
  X(qsad, "v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", BOTH, B64, quad_sad(x->a, b, x->c, false))      \
  X(mqsad, "v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", BOTH, B64, quad_sad(x->a, b, x->c, true))     \
  X(dot2_i32, "v_dot2_i32_i16 v0, v2, v4, v6", BOTH, B32, dot(a, b, 16, true) + (int32_t)c)              \
  X(dot2_i32_clamp, "v_dot2_i32_i16 v0, v2, v4, v6 clamp", BOTH, B32,                                    \
    si32(dot(a, b, 16, true) + (int32_t)c))                                                              \
  X(dot2_u32, "v_dot2_u32_u16 v0, v2, v4, v6", BOTH, B32, dot(a, b, 16, false) + c)                      \
  X(dot4_i32, "v_dot4_i32_i8 v0, v2, v4, v6", BOTH, B32, dot(a, b, 8, true) + (int32_t)c)                \
  X(dot4_u32, "v_dot4_u32_u8 v0, v2, v4, v6", BOTH, B32, dot(a, b, 8, false) + c)                        \
  X(dot4_u32_clamp, "v_dot4_u32_u8 v0, v2, v4, v6 clamp", BOTH, B32, su32(dot(a, b, 8, false) + c))      \
  X(dot8_i32, "v_dot8_i32_i4 v0, v2, v4, v6", BOTH, B32, dot(a, b, 4, true) + (int32_t)c)                \
  X(dot8_u32, "v_dot8_u32_u4 v0, v2, v4, v6", BOTH, B32, dot(a, b, 4, false) + c)                        \
  X(dot2c_i32, "v_dot2c_i32_i16 v0, v2, v4", BOTH, B32, dot(a, b, 16, true) + (int32_t)old)              \
  X(dot4c_i32, "v_dot4c_i32_i8 v0, v2, v4", BOTH, B32, dot(a, b, 8, true) + (int32_t)old)                \
  X(dot8c_i32, "v_dot8c_i32_i4 v0, v2, v4", BOTH, B32, dot(a, b, 4, true) + (int32_t)old)

#define HALVES(X)                                                                                           \
  X(add_u16, "v_add_u16 v0, v2, v4", BOTH, B32, lo(a + b))                                                  \
  X(add_u16_clamp, "v_add_u16 v0, v2, v4 clamp", BOTH, B32, su16((int64_t)lo(a) + lo(b)))                   \
  X(sub_u16, "v_sub_u16 v0, v2, v4", BOTH, B32, lo(a - b))                                                  \
  X(subrev_u16, "v_subrev_u16 v0, v2, v4", BOTH, B32, lo(b - a))                                            \
  X(mul_lo_u16, "v_mul_lo_u16 v0, v2, v4", BOTH, B32, lo(lo(a) * lo(b)))                                    \
  X(lshlrev_b16, "v_lshlrev_b16 v0, v2, v4", BOTH, B32, lo(lo(b) << (a & 15)))                              \
  X(lshrrev_b16, "v_lshrrev_b16 v0, v2, v4", BOTH, B32, lo(b) >> (a & 15))                                  \
  X(ashrrev_i16, "v_ashrrev_i16 v0, v2, v4", BOTH, B32, lo((uint32_t)(slo(b) >> (a & 15))))                 \
  X(min_i16, "v_min_i16 v0, v2, v4", BOTH, B32, lo((uint64_t)least(slo(a), slo(b))))                        \
  X(max_i16, "v_max_i16 v0, v2, v4", BOTH, B32, lo((uint64_t)most(slo(a), slo(b))))                         \
  X(min_u16, "v_min_u16 v0, v2, v4", BOTH, B32, least(lo(a), lo(b)))                                        \
  X(max_u16, "v_max_u16 v0, v2, v4", BOTH, B32, most(lo(a), lo(b)))                                         \
  X(add_i16, "v_add_i16 v0, v2, v4", BOTH, B32, keep(old, a + b))                                           \
  X(sub_i16, "v_sub_i16 v0, v2, v4", BOTH, B32, keep(old, a - b))                                           \
  X(sub_i16_clamp, "v_sub_i16 v0, v2, v4 op_sel:[1,0,1] clamp", BOTH, B32,                                  \
    keep_low(old, si16((int64_t)shi(a) - slo(b))))                                                          \
  X(mad_u16, "v_mad_u16 v0, v2, v4, v6", BOTH, B32, keep(old, lo(a) * lo(b) + lo(c)))                       \
  X(mad_i16, "v_mad_i16 v0, v2, v4, v6", BOTH, B32, keep(old, lo(a) * lo(b) + lo(c)))                       \
  X(mad_u16_sel, "v_mad_u16 v0, v2, v4, v6 op_sel:[1,0,1,1]", BOTH, B32,                                    \
    keep_low(old, hi(a) * lo(b) + hi(c)))                                                                   \
  X(mad_legacy_u16, "v_mad_legacy_u16 v0, v2, v4, v6", BOTH, B32, lo(lo(a) * lo(b) + lo(c)))                \
  X(mad_legacy_i16, "v_mad_legacy_i16 v0, v2, v4, v6", BOTH, B32, lo(lo(a) * lo(b) + lo(c)))                \
  X(min3_i16, "v_min3_i16 v0, v2, v4, v6", BOTH, B32,                                                       \
    keep(old, (uint32_t)least(least(slo(a), slo(b)), slo(c))))                                              \
  X(max3_i16, "v_max3_i16 v0, v2, v4, v6", BOTH, B32,                                                       \
    keep(old, (uint32_t)most(most(slo(a), slo(b)), slo(c))))                                                \
  X(med3_i16, "v_med3_i16 v0, v2, v4, v6", BOTH, B32, keep(old, (uint32_t)median(slo(a), slo(b), slo(c))))  \
  X(min3_u16, "v_min3_u16 v0, v2, v4, v6", BOTH, B32,                                                       \
    keep(old, (uint32_t)least(least(lo(a), lo(b)), lo(c))))                                                 \
  X(max3_u16, "v_max3_u16 v0, v2, v4, v6", BOTH, B32, keep(old, (uint32_t)most(most(lo(a), lo(b)), lo(c)))) \
  X(med3_u16, "v_med3_u16 v0, v2, v4, v6 op_sel:[0,1,0,1]", BOTH, B32,                                      \
    keep_low(old, (uint32_t)median(lo(a), hi(b), lo(c))))                                                   \
  X(pk_mad_i16, "v_pk_mad_i16 v0, v2, v4, v6", BOTH, B32,                                                   \
    pair(lo(a) * lo(b) + lo(c), hi(a) * hi(b) + hi(c)))                                                     \
  X(pk_mad_i16_clamp, "v_pk_mad_i16 v0, v2, v4, v6 clamp", BOTH, B32,                                       \
    pair(si16((int64_t)slo(a) * slo(b) + slo(c)), si16((int64_t)shi(a) * shi(b) + shi(c))))                 \
  X(pk_mad_u16, "v_pk_mad_u16 v0, v2, v4, v6 op_sel:[1,0,0] op_sel_hi:[0,1,1]", BOTH, B32,                  \
    pair(hi(a) * lo(b) + lo(c), lo(a) * hi(b) + hi(c)))                                                     \
  X(pk_mul_lo, "v_pk_mul_lo_u16 v0, v2, v4", BOTH, B32, pair(lo(a) * lo(b), hi(a) * hi(b)))                 \
  X(pk_add_i16, "v_pk_add_i16 v0, v2, v4", BOTH, B32, pair(a + b, hi(a) + hi(b)))                           \
  X(pk_add_i16_clamp, "v_pk_add_i16 v0, v2, v4 clamp", BOTH, B32,                                           \
    pair(si16((int64_t)slo(a) + slo(b)), si16((int64_t)shi(a) + shi(b))))                                   \
  X(pk_sub_i16, "v_pk_sub_i16 v0, v2, v4", BOTH, B32, pair(a - b, hi(a) - hi(b)))                           \
  X(pk_add_u16, "v_pk_add_u16 v0, v2, v4", BOTH, B32, pair(a + b, hi(a) + hi(b)))                           \
  X(pk_sub_u16_clamp, "v_pk_sub_u16 v0, v2, v4 clamp", BOTH, B32,                                           \
    pair(su16((int64_t)lo(a) - lo(b)), su16((int64_t)hi(a) - hi(b))))                                       \
  X(pk_lshlrev, "v_pk_lshlrev_b16 v0, v2, v4", BOTH, B32, pair(lo(b) << (a & 15), hi(b) << (hi(a) & 15)))   \
  X(pk_lshrrev, "v_pk_lshrrev_b16 v0, v2, v4", BOTH, B32, pair(lo(b) >> (a & 15), hi(b) >> (hi(a) & 15)))   \
  X(pk_ashrrev, "v_pk_ashrrev_i16 v0, v2, v4", BOTH, B32,                                                   \
    pair((uint32_t)(slo(b) >> (a & 15)), (uint32_t)(shi(b) >> (hi(a) & 15))))                               \
  X(pk_min_i16, "v_pk_min_i16 v0, v2, v4", BOTH, B32,                                                       \
    pair((uint32_t)least(slo(a), slo(b)), (uint32_t)least(shi(a), shi(b))))                                 \
  X(pk_max_i16, "v_pk_max_i16 v0, v2, v4", BOTH, B32,                                                       \
    pair((uint32_t)most(slo(a), slo(b)), (uint32_t)most(shi(a), shi(b))))                                   \
  X(pk_min_u16, "v_pk_min_u16 v0, v2, v4", BOTH, B32,                                                       \
    pair((uint32_t)least(lo(a), lo(b)), (uint32_t)least(hi(a), hi(b))))                                     \
  X(pk_max_u16, "v_pk_max_u16 v0, v2, v4 op_sel_hi:[1,0]", BOTH, B32,                                       \
    pair((uint32_t)most(lo(a), lo(b)), (uint32_t)most(hi(a), lo(b))))

LOGIC(VALU_DEFINE)
ARITHMETIC(VALU_DEFINE)
HALVES(VALU_DEFINE)
static const valu_op ops[] = {LOGIC(VALU_ROW) ARITHMETIC(VALU_ROW) HALVES(VALU_ROW)};

// Tests the only operation with a result of four dwords.
static void quad_sums_of_32_bits(const char *target) {
  static const char *const code[] = {"v_mqsad_u32_u8 v[12:15], v[2:3], v4, v[8:11]"};
  test_rng rng = test_seed(7);
  isa_program *p = isa_assemble(target, code, 1);
  for (int round = 0; round < 8; ++round) {
    sim_wave *w = isa_begin(p, 0);
    for (unsigned l = 0; l < SIM_LANES; ++l)
      for (unsigned r = 2; r < 12; ++r) w->v[r][l] = valu_value(&rng);
    CHECK_RUN(p);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      uint64_t window = w->v[2][l] | (uint64_t)w->v[3][l] << 32;
      for (unsigned i = 0; i < 4; ++i)
        CHECK_V32(p, 12 + i, l, sad8((uint32_t)(window >> (8 * i)), w->v[4][l], true) + w->v[8 + i][l]);
    }
  }
  isa_free(p);
}

// No exception flag is kept, so nothing changes.
static void nothing_changes(const char *target) {
  static const char *const code[] = {"v_nop", "v_clrexcp", ".long 0x7e0000fa, 0xff00e408"};  // v_nop with DPP
  isa_program *p = isa_assemble(target, code, 3);
  for (size_t i = 0; i < 3; ++i) {
    sim_wave *w = isa_begin(p, i);
    for (unsigned r = 0; r < 16; ++r)
      for (unsigned l = 0; l < SIM_LANES; ++l) w->v[r][l] = 1000 * r + l;
    CHECK_RUN(p);
    for (unsigned r = 0; r < 16; ++r)
      for (unsigned l = 0; l < SIM_LANES; ++l) CHECK_V32(p, r, l, 1000 * r + l);
  }
  isa_free(p);
}

int main(void) {
  static const uint32_t mode = 0x3f0;
  valu_check(ops, sizeof ops / sizeof ops[0], &mode, 1, 8);
  quad_sums_of_32_bits("gfx942");
  quad_sums_of_32_bits("gfx950");
  nothing_changes("gfx942");
  nothing_changes("gfx950");
  return test_result();
}
