// SPDX-License-Identifier: MIT
// Scalar arithmetic: SOP2, SOP1, SOPC and SOPK without program control (CDNA3 ISA, chapter 12, "SOP2" to
// "SOPK instructions"). rows.h says how a line is read.
#include "sim/exec/scalar/rows.h"
#include "sim/isa/tables.h"

// ---- helpers of more than one expression

static uint32_t low_mask32(uint32_t width) { return width >= 32 ? ~0u : (1u << width) - 1; }
static uint64_t low_mask64(uint32_t width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }

static int32_t field_i32(int32_t value, uint32_t offset, uint32_t width) {
  if (width == 0) return 0;
  value >>= offset;
  return width >= 32 ? value : (int32_t)((uint32_t)value << (32 - width)) >> (32 - width);
}

static int64_t field_i64(int64_t value, uint32_t offset, uint32_t width) {
  if (width == 0) return 0;
  value >>= offset;
  return width >= 64 ? value : (int64_t)((uint64_t)value << (64 - width)) >> (64 - width);
}

static uint64_t reverse(uint64_t value, int bits) {
  uint64_t out = 0;
  for (int i = 0; i < bits; ++i) out |= (value >> i & 1) << (bits - 1 - i);
  return out;
}

// Returns one bit per group of four bits: set when the group has any bit set.
static uint64_t quad_any(uint64_t value) {
  uint64_t out = 0;
  for (int i = 0; i < 16; ++i) out |= (uint64_t)((value >> (4 * i) & 15) != 0) << i;
  return out;
}

static uint64_t whole_quads(uint64_t value) {
  uint64_t out = 0;
  for (int i = 0; i < 64; i += 4)
    if (value >> i & 15) out |= 15ull << i;
  return out;
}

static int32_t first_one(uint64_t value) { return value ? __builtin_ctzll(value) : -1; }
// Returns the leading zeros of a value of `bits` bits; -1 when it is zero.
static int32_t leading_zeros(uint64_t value, int bits) {
  return value ? __builtin_clzll(value) - (64 - bits) : -1;
}

static uint64_t replicate(uint32_t value) {
  uint64_t out = 0;
  for (int i = 0; i < 32; ++i) out |= (uint64_t)(value >> i & 1) * 3 << (2 * i);
  return out;
}

static bool add_overflows(int32_t a, int32_t b) {
  int32_t sum;
  return __builtin_add_overflow(a, b, &sum);
}

static bool sub_overflows(int32_t a, int32_t b) {
  int32_t difference;
  return __builtin_sub_overflow(a, b, &difference);
}

static int32_t abs_i32(int32_t value) { return value < 0 ? (int32_t)(0u - (uint32_t)value) : value; }

// ---- facts (sim/isa/facts.h), in short

#define SCC SIM_ROW_SCC_OUT
#define SCC_IN SIM_ROW_SCC_IN
#define KEEPS SIM_ROW_USES_DST
#define CANCELS SIM_ROW_CANCELS
#define SPREAD(spread) SIM_ROW_SPREAD(spread)

// ---- SOP2

#define SOP2_LIST(X)                                                                                        \
  X(s_add_u32, 32_32_32, SCC, uint64_t t = (uint64_t)a + b; d = (uint32_t)t; scc = t >> 32)                 \
  X(s_sub_u32, 32_32_32, SCC | CANCELS, d = a - b; scc = b > a)                                             \
  X(s_add_i32, I32_I32_I32, SCC, d = (int32_t)((uint32_t)a + (uint32_t)b); scc = add_overflows(a, b))       \
  X(s_sub_i32, I32_I32_I32, SCC | CANCELS, d = (int32_t)((uint32_t)a - (uint32_t)b);                        \
    scc = sub_overflows(a, b))                                                                              \
  X(s_addc_u32, 32_32_32, SCC_IN | SCC, uint64_t t = (uint64_t)a + b + scc; d = (uint32_t)t; scc = t >> 32) \
  X(s_subb_u32, 32_32_32, SCC_IN | SCC, d = a - b - scc; scc = (uint64_t)b + scc > a)                       \
  X(s_min_i32, I32_I32_I32, SCC, scc = a < b; d = scc ? a : b)                                              \
  X(s_min_u32, 32_32_32, SCC, scc = a < b; d = scc ? a : b)                                                 \
  X(s_max_i32, I32_I32_I32, SCC, scc = a >= b; d = scc ? a : b)                                             \
  X(s_max_u32, 32_32_32, SCC, scc = a >= b; d = scc ? a : b)                                                \
  X(s_cselect_b32, 32_32_32, SCC_IN | SPREAD(SELECT), d = scc ? a : b)                                      \
  X(s_cselect_b64, 64_64_64, SCC_IN | SPREAD(SELECT), d = scc ? a : b)                                      \
  X(s_and_b32, 32_32_32, SCC | SPREAD(AND), d = a & b; scc = d != 0)                                        \
  X(s_and_b64, 64_64_64, SCC | SPREAD(AND), d = a & b; scc = d != 0)                                        \
  X(s_or_b32, 32_32_32, SCC | SPREAD(OR), d = a | b; scc = d != 0)                                          \
  X(s_or_b64, 64_64_64, SCC | SPREAD(OR), d = a | b; scc = d != 0)                                          \
  X(s_xor_b32, 32_32_32, SCC | SPREAD(BITS) | CANCELS, d = a ^ b; scc = d != 0)                             \
  X(s_xor_b64, 64_64_64, SCC | SPREAD(BITS) | CANCELS, d = a ^ b; scc = d != 0)                             \
  X(s_andn2_b32, 32_32_32, SCC | SPREAD(ANDN2) | CANCELS, d = a & ~b; scc = d != 0)                         \
  X(s_andn2_b64, 64_64_64, SCC | SPREAD(ANDN2) | CANCELS, d = a & ~b; scc = d != 0)                         \
  X(s_orn2_b32, 32_32_32, SCC | SPREAD(ORN2), d = a | ~b; scc = d != 0)                                     \
  X(s_orn2_b64, 64_64_64, SCC | SPREAD(ORN2), d = a | ~b; scc = d != 0)                                     \
  X(s_nand_b32, 32_32_32, SCC | SPREAD(AND), d = ~(a & b); scc = d != 0)                                    \
  X(s_nand_b64, 64_64_64, SCC | SPREAD(AND), d = ~(a & b); scc = d != 0)                                    \
  X(s_nor_b32, 32_32_32, SCC | SPREAD(OR), d = ~(a | b); scc = d != 0)                                      \
  X(s_nor_b64, 64_64_64, SCC | SPREAD(OR), d = ~(a | b); scc = d != 0)                                      \
  X(s_xnor_b32, 32_32_32, SCC | SPREAD(BITS), d = ~(a ^ b); scc = d != 0)                                   \
  X(s_xnor_b64, 64_64_64, SCC | SPREAD(BITS), d = ~(a ^ b); scc = d != 0)                                   \
  X(s_lshl_b32, 32_32_32, SCC, d = a << (b & 31); scc = d != 0)                                             \
  X(s_lshl_b64, 64_64_32, SCC, d = a << (b & 63); scc = d != 0)                                             \
  X(s_lshr_b32, 32_32_32, SCC, d = a >> (b & 31); scc = d != 0)                                             \
  X(s_lshr_b64, 64_64_32, SCC, d = a >> (b & 63); scc = d != 0)                                             \
  X(s_ashr_i32, I32_I32_I32, SCC, d = a >> (b & 31); scc = d != 0)                                          \
  X(s_ashr_i64, I64_I64_32, SCC, d = a >> (b & 63); scc = d != 0)                                           \
  X(s_bfm_b32, 32_32_32, 0, d = low_mask32(a & 31) << (b & 31))                                             \
  X(s_bfm_b64, 64_32_32, 0, d = low_mask64(a & 63) << (b & 63))                                             \
  X(s_mul_i32, 32_32_32, 0, d = a * b)                                                                      \
  X(s_bfe_u32, 32_32_32, SCC, d = a >> (b & 31) & low_mask32(b >> 16 & 127); scc = d != 0)                  \
  X(s_bfe_i32, I32_I32_I32, SCC, d = field_i32(a, b & 31, (uint32_t)b >> 16 & 127); scc = d != 0)           \
  X(s_bfe_u64, 64_64_32, SCC, d = a >> (b & 63) & low_mask64(b >> 16 & 127); scc = d != 0)                  \
  X(s_bfe_i64, I64_I64_32, SCC, d = field_i64(a, b & 63, b >> 16 & 127); scc = d != 0)                      \
  X(s_absdiff_i32, I32_I32_I32, SCC, d = abs_i32((int32_t)((uint32_t)a - (uint32_t)b)); scc = d != 0)       \
  X(s_mul_hi_u32, 32_32_32, 0, d = (uint32_t)((uint64_t)a * b >> 32))                                       \
  X(s_mul_hi_i32, I32_I32_I32, 0, d = (int32_t)((int64_t)a * b >> 32))                                      \
  X(s_lshl1_add_u32, 32_32_32, SCC, uint64_t t = ((uint64_t)a << 1) + b; d = (uint32_t)t;                   \
    scc = t >> 32 != 0)                                                                                     \
  X(s_lshl2_add_u32, 32_32_32, SCC, uint64_t t = ((uint64_t)a << 2) + b; d = (uint32_t)t;                   \
    scc = t >> 32 != 0)                                                                                     \
  X(s_lshl3_add_u32, 32_32_32, SCC, uint64_t t = ((uint64_t)a << 3) + b; d = (uint32_t)t;                   \
    scc = t >> 32 != 0)                                                                                     \
  X(s_lshl4_add_u32, 32_32_32, SCC, uint64_t t = ((uint64_t)a << 4) + b; d = (uint32_t)t;                   \
    scc = t >> 32 != 0)                                                                                     \
  X(s_pack_ll_b32_b16, 32_32_32, 0, d = b << 16 | (a & 0xffff))                                             \
  X(s_pack_lh_b32_b16, 32_32_32, 0, d = (b & 0xffff0000) | (a & 0xffff))                                    \
  X(s_pack_hh_b32_b16, 32_32_32, 0, d = (b & 0xffff0000) | a >> 16)

// ---- SOP1

// The statement computes the new EXEC from the source a and the old EXEC; SCC tells whether any lane is left.
#define SAVEEXEC(X, name, facts, expression)                                                 \
  X(name, 64_64, SCC | SIM_ROW_WRITES_EXEC | (facts), uint64_t exec = sim_exec(w); d = exec; \
    exec = (expression); sim_set_s64(w, SIM_EXEC, exec); scc = exec != 0)
#define WREXEC(X, name, facts, expression)                                                              \
  X(name, 64_64, SCC | SIM_ROW_WRITES_EXEC | (facts), uint64_t exec = sim_exec(w); exec = (expression); \
    d = exec; sim_set_s64(w, SIM_EXEC, exec); scc = exec != 0)

#define SOP1_LIST(X)                                                                       \
  X(s_mov_b32, 32_32, SPREAD(BITS), d = a)                                                 \
  X(s_mov_b64, 64_64, SPREAD(BITS), d = a)                                                 \
  X(s_cmov_b32, 32_32_OLD, SCC_IN | KEEPS, if (scc) d = a)                                 \
  X(s_cmov_b64, 64_64_OLD, SCC_IN | KEEPS, if (scc) d = a)                                 \
  X(s_not_b32, 32_32, SCC | SPREAD(BITS), d = ~a; scc = d != 0)                            \
  X(s_not_b64, 64_64, SCC | SPREAD(BITS), d = ~a; scc = d != 0)                            \
  X(s_wqm_b32, 32_32, SCC, d = (uint32_t)whole_quads(a); scc = d != 0)                     \
  X(s_wqm_b64, 64_64, SCC, d = whole_quads(a); scc = d != 0)                               \
  X(s_brev_b32, 32_32, 0, d = (uint32_t)reverse(a, 32))                                    \
  X(s_brev_b64, 64_64, 0, d = reverse(a, 64))                                              \
  X(s_bcnt0_i32_b32, 32_32, SCC, d = 32 - (uint32_t)__builtin_popcount(a); scc = d != 0)   \
  X(s_bcnt0_i32_b64, 32_64, SCC, d = 64 - (uint32_t)__builtin_popcountll(a); scc = d != 0) \
  X(s_bcnt1_i32_b32, 32_32, SCC, d = (uint32_t)__builtin_popcount(a); scc = d != 0)        \
  X(s_bcnt1_i32_b64, 32_64, SCC, d = (uint32_t)__builtin_popcountll(a); scc = d != 0)      \
  X(s_ff0_i32_b32, 32_32, 0, d = (uint32_t)first_one((uint32_t)~a))                        \
  X(s_ff0_i32_b64, 32_64, 0, d = (uint32_t)first_one(~a))                                  \
  X(s_ff1_i32_b32, 32_32, 0, d = (uint32_t)first_one(a))                                   \
  X(s_ff1_i32_b64, 32_64, 0, d = (uint32_t)first_one(a))                                   \
  X(s_flbit_i32_b32, 32_32, 0, d = (uint32_t)leading_zeros(a, 32))                         \
  X(s_flbit_i32_b64, 32_64, 0, d = (uint32_t)leading_zeros(a, 64))                         \
  X(s_flbit_i32, 32_32, 0, d = (uint32_t)leading_zeros(a >> 31 ? ~a : a, 32))              \
  X(s_flbit_i32_i64, 32_64, 0, d = (uint32_t)leading_zeros(a >> 63 ? ~a : a, 64))          \
  X(s_sext_i32_i8, 32_32, 0, d = (uint32_t)(int8_t)a)                                      \
  X(s_sext_i32_i16, 32_32, 0, d = (uint32_t)(int16_t)a)                                    \
  X(s_bitset0_b32, 32_32_OLD, KEEPS, d &= ~(1u << (a & 31)))                               \
  X(s_bitset0_b64, 64_32_OLD, KEEPS, d &= ~(1ull << (a & 63)))                             \
  X(s_bitset1_b32, 32_32_OLD, KEEPS, d |= 1u << (a & 31))                                  \
  X(s_bitset1_b64, 64_32_OLD, KEEPS, d |= 1ull << (a & 63))                                \
  SAVEEXEC(X, s_and_saveexec_b64, SPREAD(AND), a &exec)                                    \
  SAVEEXEC(X, s_or_saveexec_b64, SPREAD(OR), a | exec)                                     \
  SAVEEXEC(X, s_xor_saveexec_b64, 0, a ^ exec)                                             \
  SAVEEXEC(X, s_andn2_saveexec_b64, SPREAD(ANDN2), a & ~exec)                              \
  SAVEEXEC(X, s_orn2_saveexec_b64, SPREAD(ORN2), a | ~exec)                                \
  SAVEEXEC(X, s_nand_saveexec_b64, SPREAD(AND), ~(a & exec))                               \
  SAVEEXEC(X, s_nor_saveexec_b64, SPREAD(OR), ~(a | exec))                                 \
  SAVEEXEC(X, s_xnor_saveexec_b64, 0, ~(a ^ exec))                                         \
  SAVEEXEC(X, s_andn1_saveexec_b64, SPREAD(ANDN1), ~a &exec)                               \
  SAVEEXEC(X, s_orn1_saveexec_b64, SPREAD(ORN1), ~a | exec)                                \
  WREXEC(X, s_andn1_wrexec_b64, SPREAD(ANDN1), ~a &exec)                                   \
  WREXEC(X, s_andn2_wrexec_b64, SPREAD(ANDN2), a & ~exec)                                  \
  X(s_quadmask_b32, 32_32, SCC, d = (uint32_t)quad_any(a); scc = d != 0)                   \
  X(s_quadmask_b64, 64_64, SCC, d = quad_any(a); scc = d != 0)                             \
  X(s_abs_i32, I32_I32, SCC, d = abs_i32(a); scc = d != 0)                                 \
  X(s_bitreplicate_b64_b32, 64_32, 0, d = replicate(a))

// ---- SOPC and SOPK

#define SOPC_LIST(X)                                        \
  X(s_cmp_eq_i32, CI32, SCC, scc = a == b)                  \
  X(s_cmp_lg_i32, CI32, SCC, scc = a != b)                  \
  X(s_cmp_gt_i32, CI32, SCC, scc = a > b)                   \
  X(s_cmp_ge_i32, CI32, SCC, scc = a >= b)                  \
  X(s_cmp_lt_i32, CI32, SCC, scc = a < b)                   \
  X(s_cmp_le_i32, CI32, SCC, scc = a <= b)                  \
  X(s_cmp_eq_u32, C32, SCC, scc = a == b)                   \
  X(s_cmp_lg_u32, C32, SCC, scc = a != b)                   \
  X(s_cmp_gt_u32, C32, SCC, scc = a > b)                    \
  X(s_cmp_ge_u32, C32, SCC, scc = a >= b)                   \
  X(s_cmp_lt_u32, C32, SCC, scc = a < b)                    \
  X(s_cmp_le_u32, C32, SCC, scc = a <= b)                   \
  X(s_cmp_eq_u64, C64, SCC, scc = a == b)                   \
  X(s_cmp_lg_u64, C64, SCC, scc = a != b)                   \
  X(s_bitcmp0_b32, C32, SCC, scc = !(a >> (b & 31) & 1))    \
  X(s_bitcmp1_b32, C32, SCC, scc = a >> (b & 31) & 1)       \
  X(s_bitcmp0_b64, C64_32, SCC, scc = !(a >> (b & 63) & 1)) \
  X(s_bitcmp1_b64, C64_32, SCC, scc = a >> (b & 63) & 1)

#define SOPK_LIST(X)                                                                                 \
  X(s_movk_i32, K, 0, d = b)                                                                         \
  X(s_cmovk_i32, K, SCC_IN | KEEPS, if (scc) d = b)                                                  \
  X(s_addk_i32, K, SCC | KEEPS, scc = add_overflows(d, b); d = (int32_t)((uint32_t)d + (uint32_t)b)) \
  X(s_mulk_i32, K, KEEPS, d = (int32_t)((uint32_t)d * (uint32_t)b))                                  \
  X(s_cmpk_eq_i32, CIK, SCC, scc = a == b)                                                           \
  X(s_cmpk_lg_i32, CIK, SCC, scc = a != b)                                                           \
  X(s_cmpk_gt_i32, CIK, SCC, scc = a > b)                                                            \
  X(s_cmpk_ge_i32, CIK, SCC, scc = a >= b)                                                           \
  X(s_cmpk_lt_i32, CIK, SCC, scc = a < b)                                                            \
  X(s_cmpk_le_i32, CIK, SCC, scc = a <= b)                                                           \
  X(s_cmpk_eq_u32, CUK, SCC, scc = a == b)                                                           \
  X(s_cmpk_lg_u32, CUK, SCC, scc = a != b)                                                           \
  X(s_cmpk_gt_u32, CUK, SCC, scc = a > b)                                                            \
  X(s_cmpk_ge_u32, CUK, SCC, scc = a >= b)                                                           \
  X(s_cmpk_lt_u32, CUK, SCC, scc = a < b)                                                            \
  X(s_cmpk_le_u32, CUK, SCC, scc = a <= b)

SOP2_LIST(SIM_SCALAR_RUN)
SOP1_LIST(SIM_SCALAR_RUN)
SOPC_LIST(SIM_SCALAR_RUN)
SOPK_LIST(SIM_SCALAR_RUN)

static const sim_opinfo rows[] = {SOP2_LIST(SIM_SCALAR_ROW) SOP1_LIST(SIM_SCALAR_ROW)
                                      SOPC_LIST(SIM_SCALAR_ROW) SOPK_LIST(SIM_SCALAR_ROW)};
const sim_optable sim_table_salu = {rows, sizeof rows / sizeof rows[0]};
