// SPDX-License-Identifier: MIT
// Defines the rows of dot products. Float forms follow the manual's order, one rounding per product added
// (the products of f16 and bf16 are exact in f32); integer forms are exact, and clamp saturates.
#include "sim/exec/vector/number.h"
#include "sim/exec/vector/vector.h"

static inline float half_of(uint32_t pair, int i) { return sim_f32(sim_from_f16(pair >> (16 * i) & 0xffff)); }
static inline float bf16_of(uint32_t pair, int i) { return sim_f32(i ? pair & 0xffff0000u : pair << 16); }

static inline float dot_f16(uint32_t a, uint32_t b, float c) {
  float first = sim_nan3(half_of(a, 0) * half_of(b, 0) + c, c, half_of(a, 0), half_of(b, 0));
  return sim_nan3(half_of(a, 1) * half_of(b, 1) + first, first, half_of(a, 1), half_of(b, 1));
}
// v_dot2c_f32_bf16 adds to the old destination first, v_dot2_f32_bf16 adds S2 last.
static inline float dotc_bf16(uint32_t a, uint32_t b, float c) {
  float first = sim_nan3(bf16_of(a, 0) * bf16_of(b, 0) + c, c, bf16_of(a, 0), bf16_of(b, 0));
  return sim_nan3(bf16_of(a, 1) * bf16_of(b, 1) + first, first, bf16_of(a, 1), bf16_of(b, 1));
}
static inline float dot_bf16(uint32_t a, uint32_t b, float c) {
  float low = sim_nan2(bf16_of(a, 0) * bf16_of(b, 0), bf16_of(a, 0), bf16_of(b, 0));
  float both = sim_nan3(bf16_of(a, 1) * bf16_of(b, 1) + low, low, bf16_of(a, 1), bf16_of(b, 1));
  return sim_nan2(both + c, both, c);
}

// Returns the sum of products of the `bits`-wide elements of two dwords.
static inline int64_t dot_signed(uint32_t a, uint32_t b, int bits) {
  int64_t sum = 0;
  for (int at = 0; at < 32; at += bits) {
    int32_t x = (int32_t)(a << (32 - bits - at)) >> (32 - bits),
            y = (int32_t)(b << (32 - bits - at)) >> (32 - bits);
    sum += (int64_t)x * y;
  }
  return sum;
}
static inline uint64_t dot_unsigned(uint32_t a, uint32_t b, int bits) {
  uint64_t sum = 0;
  for (int at = 0; at < 32; at += bits) {
    uint32_t x = a << (32 - bits - at) >> (32 - bits), y = b << (32 - bits - at) >> (32 - bits);
    sum += (uint64_t)x * y;
  }
  return sum;
}
static inline uint32_t clamped_signed(int64_t v, uint32_t clamp) {
  int64_t saturated = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
  return (uint32_t)(clamp ? saturated : v);
}
static inline uint32_t clamped_unsigned(uint64_t v, uint32_t clamp) {
  return (uint32_t)(clamp && v > UINT32_MAX ? UINT32_MAX : v);
}

#define SIGNED_DOT(bits) clamped_signed(dot_signed(a, b, bits) + c, x->clamp)
#define UNSIGNED_DOT(bits) clamped_unsigned(dot_unsigned(a, b, bits) + c, x->clamp)
// Lists R(mnemonic, its form that accumulates into the destination or none, ...)
#define LINES(L3, R2)                                                                          \
  L3(v_dot2_f32_f16, f32, pkf16, pkf16, f32, BOTH, SIM_ROW_DOT, dot_f16(a, b, c))              \
  R2(v_dot2c_f32_f16, f32, pkf16, pkf16, BOTH, SIM_ROW_DOT, dot_f16(a, b, c))                  \
  L3(v_dot2_f32_bf16, f32, pkbf16, pkbf16, f32, GFX950, SIM_ROW_DOT, dot_bf16(a, b, c))        \
  R2(v_dot2c_f32_bf16, f32, pkbf16, pkbf16, GFX950, SIM_ROW_DOT, dotc_bf16(a, b, c))           \
  L3(v_dot2_i32_i16, i32, pk16, pk16, i32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, SIGNED_DOT(16))   \
  R2(v_dot2c_i32_i16, i32, pk16, pk16, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, SIGNED_DOT(16))       \
  L3(v_dot2_u32_u16, u32, pk16, pk16, u32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, UNSIGNED_DOT(16)) \
  L3(v_dot4_i32_i8, i32, b32, b32, i32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, SIGNED_DOT(8))       \
  R2(v_dot4c_i32_i8, i32, b32, b32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, SIGNED_DOT(8))           \
  L3(v_dot4_u32_u8, u32, b32, b32, u32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, UNSIGNED_DOT(8))     \
  L3(v_dot8_i32_i4, i32, b32, b32, i32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, SIGNED_DOT(4))       \
  R2(v_dot8c_i32_i4, i32, b32, b32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, SIGNED_DOT(4))           \
  L3(v_dot8_u32_u4, u32, b32, b32, u32, BOTH, SIM_V_CLAMPS | SIM_ROW_DOT, UNSIGNED_DOT(4))

LINES(SIM_DEF3, SIM_DEFR2)
static const sim_opinfo rows[] = {LINES(SIM_ROW3, SIM_ROWR2)};
SIM_EXPORT_TABLE(sim_table_valu_dot, rows);
