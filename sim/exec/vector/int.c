// SPDX-License-Identifier: MIT
// Vector ALU rows on 32-bit and 16-bit integers and bits, with their packed forms: moves, logic, shifts, bit
// fields, add, multiply, min, max, counts, carries.
#include "sim/exec/vector/bits.h"
#include "sim/exec/vector/vector.h"

// L1/L2/L3(mnemonic, destination type, source types, chips, flags, expression over a, b, c)
#define LINES(L1, L2, L3)                                                                                \
  L1(v_mov_b32, b32, b32, BOTH, SIM_ROW_COPY, a)                                                         \
  L1(v_not_b32, b32, b32, BOTH, 0, ~a)                                                                   \
  L1(v_bfrev_b32, b32, b32, BOTH, 0, sim_reverse(a))                                                     \
  L1(v_ffbh_u32, i32, u32, BOTH, 0, sim_find_high(a))                                                    \
  L1(v_ffbl_b32, i32, b32, BOTH, 0, sim_find_low(a))                                                     \
  L1(v_ffbh_i32, i32, i32, BOTH, 0, sim_find_high((uint32_t)(a ^ (a >> 31))))                            \
  L1(v_sat_pk_u8_i16, b16, b32, BOTH, 0, sim_sat_pk_u8(a))                                               \
  L1(v_prng_b32, b32, b32, GFX950, 0, sim_prng(a))                                                       \
  L3(v_cndmask_b32, b32, b32, b32, m64, BOTH, SIM_ROW_SPREAD(CHOICE), c ? b : a)                         \
  L2(v_lshrrev_b32, b32, b32, b32, BOTH, 0, b >> (a & 31))                                               \
  L2(v_ashrrev_i32, i32, b32, i32, BOTH, 0, b >> (a & 31))                                               \
  L2(v_lshlrev_b32, b32, b32, b32, BOTH, 0, b << (a & 31))                                               \
  L2(v_and_b32, b32, b32, b32, BOTH, 0, a &b)                                                            \
  L2(v_or_b32, b32, b32, b32, BOTH, 0, a | b)                                                            \
  L2(v_xor_b32, b32, b32, b32, BOTH, SIM_ROW_CANCELS, a ^ b)                                             \
  L2(v_xnor_b32, b32, b32, b32, BOTH, 0, ~(a ^ b))                                                       \
  L2(v_min_i32, i32, i32, i32, BOTH, 0, a < b ? a : b)                                                   \
  L2(v_max_i32, i32, i32, i32, BOTH, 0, a > b ? a : b)                                                   \
  L2(v_min_u32, u32, u32, u32, BOTH, 0, a < b ? a : b)                                                   \
  L2(v_max_u32, u32, u32, u32, BOTH, 0, a > b ? a : b)                                                   \
  L3(v_min3_i32, i32, i32, i32, i32, BOTH, 0, SIM_MIN(SIM_MIN(a, b), c))                                 \
  L3(v_min3_u32, u32, u32, u32, u32, BOTH, 0, SIM_MIN(SIM_MIN(a, b), c))                                 \
  L3(v_max3_i32, i32, i32, i32, i32, BOTH, 0, SIM_MAX(SIM_MAX(a, b), c))                                 \
  L3(v_max3_u32, u32, u32, u32, u32, BOTH, 0, SIM_MAX(SIM_MAX(a, b), c))                                 \
  L3(v_med3_i32, i32, i32, i32, i32, BOTH, 0, SIM_MED(a, b, c))                                          \
  L3(v_med3_u32, u32, u32, u32, u32, BOTH, 0, SIM_MED(a, b, c))                                          \
  L3(v_bfe_u32, u32, u32, u32, u32, BOTH, 0, (a >> (b & 31)) & ((1u << (c & 31)) - 1))                   \
  L3(v_bfe_i32, i32, i32, u32, u32, BOTH, 0, sim_bfe_i32(a, b & 31, c & 31))                             \
  L3(v_bfi_b32, b32, b32, b32, b32, BOTH, 0, (a & b) | (~a & c))                                         \
  L2(v_bfm_b32, b32, b32, b32, BOTH, 0, ((1u << (a & 31)) - 1) << (b & 31))                              \
  L3(v_alignbit_b32, b32, b32, b32, b32, BOTH, 0, (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31)))       \
  L3(v_alignbyte_b32, b32, b32, b32, b32, BOTH, 0, (uint32_t)(((uint64_t)a << 32 | b) >> (8 * (c & 3)))) \
  L3(v_perm_b32, b32, b32, b32, b32, BOTH, SIM_ROW_SPREAD(PERM), sim_perm(a, b, c))                      \
  L3(v_xad_u32, u32, u32, u32, u32, BOTH, 0, (a ^ b) + c)                                                \
  L3(v_lshl_add_u32, u32, u32, u32, u32, BOTH, 0, (a << (b & 31)) + c)                                   \
  L3(v_add_lshl_u32, u32, u32, u32, u32, BOTH, 0, (a + b) << (c & 31))                                   \
  L3(v_add3_u32, u32, u32, u32, u32, BOTH, 0, a + b + c)                                                 \
  L3(v_lshl_or_b32, b32, b32, b32, b32, BOTH, 0, a << (b & 31) | c)                                      \
  L3(v_and_or_b32, b32, b32, b32, b32, BOTH, 0, (a & b) | c)                                             \
  L3(v_or3_b32, b32, b32, b32, b32, BOTH, 0, a | b | c)                                                  \
  L2(v_mul_lo_u32, u32, u32, u32, BOTH, 0, a *b)                                                         \
  L2(v_mul_hi_u32, u32, u32, u32, BOTH, 0, (uint64_t)a *b >> 32)                                         \
  L2(v_mul_hi_i32, i32, i32, i32, BOTH, 0, (int64_t)a *b >> 32)                                          \
  L2(v_mul_hi_u32_u24, u32, u32, u32, BOTH, 0, (uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 32)          \
  L2(v_mul_hi_i32_i24, i32, i32, i32, BOTH, 0, (int64_t)sim_sext24(a) * sim_sext24(b) >> 32)             \
  L2(v_bcnt_u32_b32, u32, b32, u32, BOTH, 0, sim_count(a) + b)                                           \
  L2(v_mbcnt_lo_u32_b32, u32, b32, u32, BOTH, 0, sim_count(a &sim_below(l)) + b)                         \
  L2(v_mbcnt_hi_u32_b32, u32, b32, u32, BOTH, 0, sim_count(a &sim_below(l - 32)) + b)                    \
  L3(v_ashr_pk_i8_i32, b16, i32, i32, u32, GFX950, SIM_V_KEEP_HIGH,                                      \
     sim_sat_i8(a >> (c & 31)) | sim_sat_i8(b >> (c & 31)) << 8)                                         \
  L3(v_ashr_pk_u8_i32, b16, i32, i32, u32, GFX950, SIM_V_KEEP_HIGH,                                      \
     sim_sat_u8(a >> (c & 31)) | sim_sat_u8(b >> (c & 31)) << 8)                                         \
  L2(v_pack_b32_f16, b32, b16, b16, BOTH, 0, a | b << 16)                                                \
  L2(v_lshlrev_b16, b16, b16, b16, BOTH, 0, b << (a & 15))                                               \
  L2(v_lshrrev_b16, b16, b16, b16, BOTH, 0, b >> (a & 15))                                               \
  L2(v_ashrrev_i16, i16, b16, i16, BOTH, 0, b >> (a & 15))                                               \
  L2(v_min_i16, i16, i16, i16, BOTH, 0, SIM_MIN(a, b))                                                   \
  L2(v_max_i16, i16, i16, i16, BOTH, 0, SIM_MAX(a, b))                                                   \
  L2(v_min_u16, u16, u16, u16, BOTH, 0, SIM_MIN(a, b))                                                   \
  L2(v_max_u16, u16, u16, u16, BOTH, 0, SIM_MAX(a, b))                                                   \
  L3(v_min3_i16, i16, i16, i16, i16, BOTH, SIM_V_KEEP_HIGH, SIM_MIN(SIM_MIN(a, b), c))                   \
  L3(v_min3_u16, u16, u16, u16, u16, BOTH, SIM_V_KEEP_HIGH, SIM_MIN(SIM_MIN(a, b), c))                   \
  L3(v_max3_i16, i16, i16, i16, i16, BOTH, SIM_V_KEEP_HIGH, SIM_MAX(SIM_MAX(a, b), c))                   \
  L3(v_max3_u16, u16, u16, u16, u16, BOTH, SIM_V_KEEP_HIGH, SIM_MAX(SIM_MAX(a, b), c))                   \
  L3(v_med3_i16, i16, i16, i16, i16, BOTH, SIM_V_KEEP_HIGH, SIM_MED(a, b, c))                            \
  L3(v_med3_u16, u16, u16, u16, u16, BOTH, SIM_V_KEEP_HIGH, SIM_MED(a, b, c))

// S2/S3(..., exact expression) are rows whose clamp bit saturates to the range of the destination type.
#define SATURATING(S2, S3)                                                                            \
  S2(v_add_u32, u32, u32, u32, BOTH, 0, a + b, (int64_t)a + b)                                        \
  S2(v_sub_u32, u32, u32, u32, BOTH, SIM_ROW_CANCELS, a - b, (int64_t)a - b)                          \
  S2(v_subrev_u32, u32, u32, u32, BOTH, SIM_ROW_CANCELS, b - a, (int64_t)b - a)                       \
  S2(v_add_i32, i32, i32, i32, BOTH, 0, (uint32_t)a + (uint32_t)b, (int64_t)a + b)                    \
  S2(v_sub_i32, i32, i32, i32, BOTH, SIM_ROW_CANCELS, (uint32_t)a - (uint32_t)b, (int64_t)a - b)      \
  S2(v_mul_u32_u24, u32, u32, u32, BOTH, 0, (a & 0xffffff) * (b & 0xffffff),                          \
     (int64_t)(a & 0xffffff) * (b & 0xffffff))                                                        \
  S2(v_mul_i32_i24, i32, i32, i32, BOTH, 0, (uint32_t)sim_sext24(a) * (uint32_t)sim_sext24(b),        \
     (int64_t)sim_sext24(a) * sim_sext24(b))                                                          \
  S3(v_mad_u32_u24, u32, u32, u32, u32, BOTH, 0, (a & 0xffffff) * (b & 0xffffff) + c,                 \
     (int64_t)(a & 0xffffff) * (b & 0xffffff) + c)                                                    \
  S3(v_mad_i32_i24, i32, i32, i32, i32, BOTH, 0,                                                      \
     (uint32_t)sim_sext24(a) * (uint32_t)sim_sext24(b) + (uint32_t)c,                                 \
     (int64_t)sim_sext24(a) * sim_sext24(b) + c)                                                      \
  S3(v_mad_u32_u16, u32, u16, u16, u32, BOTH, 0, a *b + c, (int64_t)a * b + c)                        \
  S3(v_mad_i32_i16, i32, i16, i16, i32, BOTH, 0, (uint32_t)(a * b) + (uint32_t)c, (int64_t)a * b + c) \
  S2(v_add_u16, u16, u16, u16, BOTH, 0, a + b, (int64_t)a + b)                                        \
  S2(v_sub_u16, u16, u16, u16, BOTH, 0, a - b, (int64_t)a - b)                                        \
  S2(v_subrev_u16, u16, u16, u16, BOTH, 0, b - a, (int64_t)b - a)                                     \
  S2(v_mul_lo_u16, u16, u16, u16, BOTH, 0, a *b, (int64_t)a *b)                                       \
  S2(v_add_i16, i16, i16, i16, BOTH, SIM_V_KEEP_HIGH, a + b, (int64_t)a + b)                          \
  S2(v_sub_i16, i16, i16, i16, BOTH, SIM_V_KEEP_HIGH, a - b, (int64_t)a - b)                          \
  S3(v_mad_u16, u16, u16, u16, u16, BOTH, SIM_V_KEEP_HIGH, a *b + c, (int64_t)a * b + c)              \
  S3(v_mad_i16, i16, i16, i16, i16, BOTH, SIM_V_KEEP_HIGH, a *b + c, (int64_t)a * b + c)              \
  S3(v_sad_u8, u32, u32, u32, u32, BOTH, 0, sim_sad_u8(a, b) + c, (int64_t)sim_sad_u8(a, b) + c)      \
  S3(v_sad_hi_u8, u32, u32, u32, u32, BOTH, 0, (sim_sad_u8(a, b) << 16) + c,                          \
     ((int64_t)sim_sad_u8(a, b) << 16) + c)                                                           \
  S3(v_sad_u16, u32, u32, u32, u32, BOTH, 0, sim_sad_u16(a, b) + c, (int64_t)sim_sad_u16(a, b) + c)   \
  S3(v_sad_u32, u32, u32, u32, u32, BOTH, 0, (a > b ? a - b : b - a) + c,                             \
     (int64_t)(a > b ? a - b : b - a) + c)                                                            \
  S3(v_msad_u8, u32, u32, u32, u32, BOTH, 0, sim_msad_u8(a, b) + c, (int64_t)sim_msad_u8(a, b) + c)   \
  S3(v_lerp_u8, u32, u32, u32, u32, BOTH, 0, sim_lerp_u8(a, b, c), (int64_t)sim_lerp_u8(a, b, c))

enum { MIN_i16 = -32768, MAX_i16 = 32767, MIN_u16 = 0, MAX_u16 = 65535, MIN_u32 = 0 };
#define MAX_u32 4294967295
#define MIN_i32 INT32_MIN
#define MAX_i32 INT32_MAX
#define SATURATE(TD, exact) ((exact) < MIN_##TD ? MIN_##TD : (exact) > MAX_##TD ? MAX_##TD : (exact))
#define BY_CLAMP(m)                                                                              \
  static void lanes_##m(uint32_t *d, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, \
                        const sim_lane_context *x) {                                             \
    (x->clamp ? sat_##m : wrap_##m)(d, pa, pb, pc, x);                                           \
  }
#define DEF_S2(m, TD, TA, TB, chips, flags, expr, exact) \
  SIM_FN2(wrap_##m, TD, TA, TB, expr)                    \
  SIM_FN2(sat_##m, TD, TA, TB, SATURATE(TD, exact))      \
  BY_CLAMP(m)
#define DEF_S3(m, TD, TA, TB, TC, chips, flags, expr, exact) \
  SIM_FN3(wrap_##m, TD, TA, TB, TC, expr)                    \
  SIM_FN3(sat_##m, TD, TA, TB, TC, SATURATE(TD, exact))      \
  BY_CLAMP(m)
#define ROW_S2(m, TD, TA, TB, chips, flags, expr, exact) \
  SIM_ROW2(m, TD, TA, TB, chips, (flags) | SIM_V_CLAMPS, expr)
#define ROW_S3(m, TD, TA, TB, TC, chips, flags, expr, exact) \
  SIM_ROW3(m, TD, TA, TB, TC, chips, (flags) | SIM_V_CLAMPS, expr)

LINES(SIM_DEF1, SIM_DEF2, SIM_DEF3)
SATURATING(DEF_S2, DEF_S3)

// Carries: the result in the first row, the carry (or borrow) of each lane in the second; saturating with
// clamp.
#define CARRY(fn, add, wide)                                                              \
  SIM_LANES_FN(fn, const int64_t a = pa[l]; const int64_t b = pb[l];                      \
               const int64_t carry = pc ? (int64_t)pc[l] : 0; const int64_t sum = (wide); \
               uint32_t over = (add) ? sum > MAX_u32 : sum < 0;                           \
               d[l] = x->clamp && over ? ((add) ? UINT32_MAX : 0) : (uint32_t)sum; d[SIM_LANES + l] = over;)
CARRY(lanes_add_co, 1, a + b + carry)
CARRY(lanes_sub_co, 0, a - b - carry)
CARRY(lanes_subrev_co, 0, b - a - carry)

// v_bitop3: any function of three bits; the truth table is what other VOP3 operations use as OMOD, ABS and
// NEG (CDNA4 ISA, V_BITOP3_B32).
static void lanes_bitop3(uint32_t *d, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                         const sim_lane_context *x) {
  const uint32_t *raw = x->op->raw;
  const uint32_t table = (raw[1] >> 27 & 3) << 6 | (raw[0] >> 8 & 7) << 3 | (raw[1] >> 29 & 7);
  uint32_t on[8];
  for (int i = 0; i < 8; ++i) on[i] = 0u - (table >> i & 1);
  SIM_EACH_LANE {
    const uint32_t a = pa[l], b = pb[l], c = pc[l];
    const uint32_t low = (~b & ((~c & on[0]) | (c & on[1]))) | (b & ((~c & on[2]) | (c & on[3])));
    const uint32_t high = (~b & ((~c & on[4]) | (c & on[5]))) | (b & ((~c & on[6]) | (c & on[7])));
    d[l] = (~a & low) | (a & high);
  }
}

static void run_bitop3(sim_wave *w, const sim_op *op) {
  sim_op plain = *op;
  plain.omod = 0;
  for (int i = 0; i < 3; ++i) plain.src[i].mods = 0;
  sim_valu(w, &plain);
}

// v_nop, and v_clrexcp: no exception flags are kept.
static void run_nothing(sim_wave *w, const sim_op *op) { (void)w, (void)op; }

static void run_swap(sim_wave *w, const sim_op *op) {
  uint64_t exec = sim_exec(w);
  if (w->mode & 1u << 27) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "v_swap_b32 under s_set_gpr_idx is not defined");
    return;
  }
  uint32_t *a = w->v[op->dst[0].reg], *b = w->v[op->src[0].reg];
  for (int l = 0; l < SIM_LANES; ++l) {
    uint32_t keep = a[l];
    if (exec >> l & 1) a[l] = b[l], b[l] = keep;
  }
}

#define PACKED2(m, arg, fn) SIM_AS(m, "=pk16,pk16,pk16", sim_valu, BOTH, SIM_V_NARROW | SIM_V_CLAMPS, arg, fn)
#define PACKED3(m, arg, fn) \
  SIM_AS(m, "=pk16,pk16,pk16,pk16", sim_valu, BOTH, SIM_V_NARROW | SIM_V_CLAMPS, arg, fn)
#define MAD_LEGACY(m, T, fn) \
  SIM_AS(m, "=" #T "," #T "," #T "," #T, sim_valu, BOTH, SIM_V_NARROW | SIM_V_CLAMPS, 0, fn)

static const sim_opinfo rows[] = {
    LINES(SIM_ROW1, SIM_ROW2, SIM_ROW3) SATURATING(ROW_S2, ROW_S3)
    // clang-format off
    SIM_AS(v_accvgpr_read_b32, "=b32,b32", sim_valu, BOTH, 0, 0, lanes_v_mov_b32)
    SIM_AS(v_accvgpr_write_b32, "=b32,b32", sim_valu, BOTH, 0, 0, lanes_v_mov_b32)
    SIM_AS(v_accvgpr_mov_b32, "=b32,b32", sim_valu, BOTH, 0, 0, lanes_v_mov_b32)
    SIM_AS(v_nop, "any?", run_nothing, BOTH, 0, 0, NULL)
    SIM_AS(v_clrexcp, "", run_nothing, BOTH, 0, 0, NULL)
    SIM_AS(v_swap_b32, "=b32,b32", run_swap, BOTH, SIM_ROW_SPREAD(SWAP), 0, NULL)
    SIM_AS(v_bitop3_b32, "=b32,b32,b32,b32", run_bitop3, GFX950, 0, 0, lanes_bitop3)
    SIM_AS(v_bitop3_b16, "=b16,b16,b16,b16", run_bitop3, GFX950, SIM_V_NARROW | SIM_V_KEEP_HIGH, 0, lanes_bitop3)
    SIM_AS(v_add_co_u32, "=u32,=m64,u32,u32", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_add_co)
    SIM_AS(v_sub_co_u32, "=u32,=m64,u32,u32", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_sub_co)
    SIM_AS(v_subrev_co_u32, "=u32,=m64,u32,u32", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_subrev_co)
    SIM_AS(v_addc_co_u32, "=u32,=m64,u32,u32,m64", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_add_co)
    SIM_AS(v_subb_co_u32, "=u32,=m64,u32,u32,m64", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_sub_co)
    SIM_AS(v_subbrev_co_u32, "=u32,=m64,u32,u32,m64", sim_valu, BOTH, SIM_V_CLAMPS, 0, lanes_subrev_co)
    MAD_LEGACY(v_mad_legacy_u16, u16, lanes_v_mad_u16)
    MAD_LEGACY(v_mad_legacy_i16, i16, lanes_v_mad_i16)
    PACKED3(v_pk_mad_i16, SIM_V_SIGNED, lanes_v_mad_i16)
    PACKED3(v_pk_mad_u16, 0, lanes_v_mad_u16)
    PACKED2(v_pk_mul_lo_u16, 0, lanes_v_mul_lo_u16)
    PACKED2(v_pk_add_i16, SIM_V_SIGNED, lanes_v_add_i16)
    PACKED2(v_pk_sub_i16, SIM_V_SIGNED, lanes_v_sub_i16)
    PACKED2(v_pk_add_u16, 0, lanes_v_add_u16)
    PACKED2(v_pk_sub_u16, 0, lanes_v_sub_u16)
    PACKED2(v_pk_lshlrev_b16, 0, lanes_v_lshlrev_b16)
    PACKED2(v_pk_lshrrev_b16, 0, lanes_v_lshrrev_b16)
    PACKED2(v_pk_ashrrev_i16, SIM_V_SIGNED, lanes_v_ashrrev_i16)
    PACKED2(v_pk_max_i16, SIM_V_SIGNED, lanes_v_max_i16)
    PACKED2(v_pk_min_i16, SIM_V_SIGNED, lanes_v_min_i16)
    PACKED2(v_pk_max_u16, 0, lanes_v_max_u16)
    PACKED2(v_pk_min_u16, 0, lanes_v_min_u16)
    // clang-format on
};
SIM_EXPORT_TABLE(sim_table_valu_int, rows);
