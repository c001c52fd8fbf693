// SPDX-License-Identifier: MIT
// v_cvt_scalef32_*: conversions between f32, f16, bf16 and the 8-, 6- and 4-bit floats with an E8M0 scale,
// the exponent field of an f32 operand. To small divides by 2^(e - 127), from small multiplies (CDNA4 ISA).
// Stochastic forms with several elements step the generator of V_PRNG_B32 from one to the next.
#include "sim/exec/vector/bits.h"
#include "sim/exec/vector/small.h"
#include "sim/exec/vector/vector.h"

static inline int shift_of(float scale) { return (int)(sim_bits32(scale) >> 23 & 255) - 127; }

static inline float f32_of(uint32_t bits) { return sim_f32(bits); }
static inline float f16_of(uint32_t bits) { return sim_f32(sim_from_f16(bits & 0xffff)); }
static inline float bf16_of(uint32_t bits) { return sim_f32(bits << 16); }

// A decoded value times the scale, rounded once to f32; wider than f16 or bf16 ever need.
static inline float scaled(uint32_t code, const sim_small *f, float scale) {
  float value = sim_decode_small(code, f);
  return (float)((double)value * sim_f64((uint64_t)(shift_of(scale) + 1023) << 52));
}
static inline uint32_t as_f32(float v, uint32_t mode) {
  (void)mode;
  return sim_bits32(sim_nan1(v, v));
}
static inline uint32_t as_f16(float v, uint32_t mode) { return half_nearest(v, mode); }
static inline uint32_t as_bf16(float v, uint32_t mode) {
  (void)mode;
  return sim_to_bf16(sim_bits32(v));
}

#define ENCODE(value, scale, f) sim_encode_small(value, shift_of(scale), &sim_##f, to_nearest(x))
#define ENCODE_SR(value, random, scale, f) \
  sim_encode_small(value, shift_of(scale), &sim_##f, randomly(x, random))
#define SOURCE_BYTE(v) ((v) >> (8 * (x->op->op_sel & 3)) & 0xff)
#define SOURCE_WORD(v) ((v) >> (16 * (x->op->op_sel & 1)) & 0xffff)
#define TWO(low, high) ((low) | (uint64_t)(high) << 32)

// ---- one or two elements
// -------------------------------------------------------------------------------------- R(name, destination,
// sources ..., expression); old is the destination before.
#define PER_EIGHT(L2, L3, K2, K3, f)                                                                \
  K3(pk_##f##_f32, b32, f32, f32, f32, in_half(old, ENCODE(a, c, f) | ENCODE(b, c, f) << 8, x))     \
  K3(sr_##f##_f32, b32, f32, u32, f32, in_byte(old, ENCODE_SR(a, b, c, f), x))                      \
  L2(pk_f32_##f, b64, b32, f32,                                                                     \
     TWO(as_f32(scaled(SOURCE_WORD(a) & 0xff, &sim_##f, b), 0),                                     \
         as_f32(scaled(SOURCE_WORD(a) >> 8, &sim_##f, b), 0)))                                      \
  L2(f32_##f, b32, b32, f32, as_f32(scaled(SOURCE_BYTE(a), &sim_##f, b), 0))                        \
  K2(f16_##f, b32, b32, f32, in_half(old, as_f16(scaled(SOURCE_BYTE(a), &sim_##f, b), x->mode), x)) \
  PER_EIGHT_HALF(L2, K2, K3, f, f16)                                                                \
  PER_EIGHT_HALF(L2, K2, K3, f, bf16)
#define PER_EIGHT_HALF(L2, K2, K3, f, h)                                                        \
  K2(pk_##f##_##h, b32, b32, f32,                                                               \
     in_half(old, ENCODE(h##_of(a & 0xffff), b, f) | ENCODE(h##_of(a >> 16), b, f) << 8, x))    \
  K3(sr_##f##_##h, b32, b32, u32, f32, in_byte(old, ENCODE_SR(h##_of(a & 0xffff), b, c, f), x)) \
  L2(pk_##h##_##f, b32, b32, f32,                                                               \
     as_##h(scaled(SOURCE_WORD(a) & 0xff, &sim_##f, b), x->mode) |                              \
         as_##h(scaled(SOURCE_WORD(a) >> 8, &sim_##f, b), x->mode) << 16)
#define FOURS(L2, L3, K2, K3)                                                                     \
  K3(pk_fp4_f32, b32, f32, f32, f32, in_byte(old, ENCODE(a, c, fp4) | ENCODE(b, c, fp4) << 4, x)) \
  K3(sr_pk_fp4_f32, b32, b64, u32, f32,                                                           \
     in_byte(old,                                                                                 \
             ENCODE_SR(f32_of((uint32_t)a), b, c, fp4) |                                          \
                 ENCODE_SR(f32_of((uint32_t)(a >> 32)), sim_prng(b), c, fp4) << 4,                \
             x))                                                                                  \
  L2(pk_f32_fp4, b64, b32, f32,                                                                   \
     TWO(as_f32(scaled(SOURCE_BYTE(a) & 15, &sim_fp4, b), 0),                                     \
         as_f32(scaled(SOURCE_BYTE(a) >> 4, &sim_fp4, b), 0)))                                    \
  FOURS_HALF(L2, K2, K3, f16)                                                                     \
  FOURS_HALF(L2, K2, K3, bf16)
#define FOURS_HALF(L2, K2, K3, h)                                                                       \
  K2(pk_fp4_##h, b32, b32, f32,                                                                         \
     in_byte(old, ENCODE(h##_of(a & 0xffff), b, fp4) | ENCODE(h##_of(a >> 16), b, fp4) << 4, x))        \
  K3(sr_pk_fp4_##h, b32, b32, u32, f32,                                                                 \
     in_byte(old,                                                                                       \
             ENCODE_SR(h##_of(a & 0xffff), b, c, fp4) | ENCODE_SR(h##_of(a >> 16), sim_prng(b), c, fp4) \
                                                            << 4,                                       \
             x))                                                                                        \
  L2(pk_##h##_fp4, b32, b32, f32,                                                                       \
     as_##h(scaled(SOURCE_BYTE(a) & 15, &sim_fp4, b), x->mode) |                                        \
         as_##h(scaled(SOURCE_BYTE(a) >> 4, &sim_fp4, b), x->mode) << 16)
#define FEW(L2, L3, K2, K3)      \
  PER_EIGHT(L2, L3, K2, K3, fp8) \
  PER_EIGHT(L2, L3, K2, K3, bf8) \
  FOURS(L2, L3, K2, K3)

#define DEF_L2(n, TD, TA, TB, expr) SIM_FN2(few_##n, TD, TA, TB, expr)
#define DEF_L3(n, TD, TA, TB, TC, expr) SIM_FN3(few_##n, TD, TA, TB, TC, expr)
#define DEF_K2(n, TD, TA, TB, expr)                                                                   \
  SIM_LANES_FN(few_##n, const SIM_C_##TA a = SIM_GET_##TA(pa); const SIM_C_##TB b = SIM_GET_##TB(pb); \
               const uint32_t old = pc[l]; SIM_PUT_##TD((expr));)
#define DEF_K3(n, TD, TA, TB, TC, expr)                                                               \
  SIM_LANES_FN(few_##n, const SIM_C_##TA a = SIM_GET_##TA(pa); const SIM_C_##TB b = SIM_GET_##TB(pb); \
               const SIM_C_##TC c = SIM_GET_##TC(pc); const uint32_t old = x->fourth[l];              \
               SIM_PUT_##TD((expr));)
#define ROW_L2(n, TD, TA, TB, expr) \
  SIM_AS(v_cvt_scalef32_##n, "=" #TD "," #TA "," #TB, sim_valu, GFX950, 0, 0, few_##n)
#define ROW_L3(n, TD, TA, TB, TC, expr) \
  SIM_AS(v_cvt_scalef32_##n, "=" #TD "," #TA "," #TB "," #TC, sim_valu, GFX950, 0, 0, few_##n)
#define ROW_K2(n, TD, TA, TB, expr) \
  SIM_AS(v_cvt_scalef32_##n, "=" #TD "," #TA "," #TB, sim_valu, GFX950, SIM_V_READS_DST, 0, few_##n)
#define ROW_K3(n, TD, TA, TB, TC, expr) \
  SIM_AS(v_cvt_scalef32_##n, "=" #TD "," #TA "," #TB "," #TC, sim_valu, GFX950, SIM_V_READS_DST, 0, few_##n)
FEW(DEF_L2, DEF_L3, DEF_K2, DEF_K3)

// ---- blocks of 32 elements, six bits each

typedef struct block {
  uint32_t codes[6];
} block;

static inline void put_six(block *out, int index, uint32_t code) {
  int at = 6 * index, word = at / 32, shift = at % 32;
  out->codes[word] |= code << shift;
  if (shift > 26) out->codes[word + 1] |= code >> (32 - shift);
}
static inline uint32_t get_six(const uint32_t *p, int l, int index) {
  int at = 6 * index, word = at / 32, shift = at % 32;
  uint32_t low = p[word * SIM_LANES + l] >> shift;
  if (shift > 26) low |= p[(word + 1) * SIM_LANES + l] << (32 - shift);
  return low & 63;
}
static inline void store_block(uint32_t *d, int l, const block *out) {
  for (int i = 0; i < 6; ++i) d[i * SIM_LANES + l] = out->codes[i];
}

// Returns element i of a lane's block of f32, f16 or bf16.
static inline float f32_at(const uint32_t *p, int l, int i) { return sim_f32(p[i * SIM_LANES + l]); }
static inline float f16_at(const uint32_t *p, int l, int i) {
  return f16_of(p[i / 2 * SIM_LANES + l] >> (16 * (i & 1)));
}
static inline float bf16_at(const uint32_t *p, int l, int i) {
  return bf16_of(p[i / 2 * SIM_LANES + l] >> (16 * (i & 1)) & 0xffff);
}

#define BLOCK_FN(fn, body)                                                                \
  static void fn(uint32_t *d, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, \
                 const sim_lane_context *x) {                                             \
    (void)pc, (void)x;                                                                    \
    for (int l = 0; l < SIM_LANES; ++l) {                                                 \
      body                                                                                \
    }                                                                                     \
  }
#define ENCODE_BLOCK(fn, scale_row, value, how)                                             \
  BLOCK_FN(fn, block out = {{0}}; const int shift = shift_of(sim_f32(scale_row[l]));        \
           uint32_t random = pb[l]; for (int i = 0; i < 32; ++i, random = sim_prng(random)) \
               put_six(&out, i, sim_encode_small(value, shift, FORMAT, how));               \
           (void)random; store_block(d, l, &out);)
// A lane's result may overwrite its own source rows: decode everything first.
#define DECODE_BLOCK(fn, f)                                                                         \
  static inline void fn##_values(const uint32_t *pa, const uint32_t *pb, int l, float values[32]) { \
    for (int i = 0; i < 32; ++i) values[i] = scaled(get_six(pa, l, i), &sim_##f, sim_f32(pb[l]));   \
  }                                                                                                 \
  BLOCK_FN(fn##_f32, float v[32]; fn##_values(pa, pb, l, v);                                        \
           for (int i = 0; i < 32; ++i) d[i * SIM_LANES + l] = as_f32(v[i], 0);)                    \
  BLOCK_FN(fn##_f16, float v[32]; fn##_values(pa, pb, l, v);                                        \
           for (int i = 0; i < 16; ++i) d[i * SIM_LANES + l] =                                      \
               as_f16(v[2 * i], x->mode) | as_f16(v[2 * i + 1], x->mode) << 16;)                    \
  BLOCK_FN(fn##_bf16, float v[32]; fn##_values(pa, pb, l, v);                                       \
           for (int i = 0; i < 16; ++i) d[i * SIM_LANES + l] =                                      \
               as_bf16(v[2 * i], 0) | as_bf16(v[2 * i + 1], 0) << 16;)
#define RANDOMLY randomly(x, random)

// The two sources of 2xpk16 alternate in the result.
#define FORMAT &sim_fp6
ENCODE_BLOCK(two_fp6_f32, pc, f32_at(i & 1 ? pb : pa, l, i / 2), to_nearest(x))
ENCODE_BLOCK(sr_fp6_f32, pc, f32_at(pa, l, i), RANDOMLY)
ENCODE_BLOCK(pk_fp6_f16, pb, f16_at(pa, l, i), to_nearest(x))
ENCODE_BLOCK(pk_fp6_bf16, pb, bf16_at(pa, l, i), to_nearest(x))
ENCODE_BLOCK(sr_fp6_f16, pc, f16_at(pa, l, i), RANDOMLY)
ENCODE_BLOCK(sr_fp6_bf16, pc, bf16_at(pa, l, i), RANDOMLY)
DECODE_BLOCK(un_fp6, fp6)
#undef FORMAT
#define FORMAT &sim_bf6
ENCODE_BLOCK(two_bf6_f32, pc, f32_at(i & 1 ? pb : pa, l, i / 2), to_nearest(x))
ENCODE_BLOCK(sr_bf6_f32, pc, f32_at(pa, l, i), RANDOMLY)
ENCODE_BLOCK(pk_bf6_f16, pb, f16_at(pa, l, i), to_nearest(x))
ENCODE_BLOCK(pk_bf6_bf16, pb, bf16_at(pa, l, i), to_nearest(x))
ENCODE_BLOCK(sr_bf6_f16, pc, f16_at(pa, l, i), RANDOMLY)
ENCODE_BLOCK(sr_bf6_bf16, pc, bf16_at(pa, l, i), RANDOMLY)
DECODE_BLOCK(un_bf6, bf6)

#define BLOCK_ROW(n, signature, fn) SIM_AS(v_cvt_scalef32_##n, signature, sim_valu_wide, GFX950, 0, 0, fn)
#define BLOCK_ROWS(f)                                                \
  BLOCK_ROW(2xpk16_##f##_f32, "=b192,b512,b512,f32", two_##f##_f32)  \
  BLOCK_ROW(sr_pk32_##f##_f32, "=b192,b1024,u32,f32", sr_##f##_f32)  \
  BLOCK_ROW(pk32_##f##_f16, "=b192,b512,f32", pk_##f##_f16)          \
  BLOCK_ROW(pk32_##f##_bf16, "=b192,b512,f32", pk_##f##_bf16)        \
  BLOCK_ROW(sr_pk32_##f##_f16, "=b192,b512,u32,f32", sr_##f##_f16)   \
  BLOCK_ROW(sr_pk32_##f##_bf16, "=b192,b512,u32,f32", sr_##f##_bf16) \
  BLOCK_ROW(pk32_f32_##f, "=b1024,b192,f32", un_##f##_f32)           \
  BLOCK_ROW(pk32_f16_##f, "=b512,b192,f32", un_##f##_f16)            \
  BLOCK_ROW(pk32_bf16_##f, "=b512,b192,f32", un_##f##_bf16)

static const sim_opinfo rows[] = {
    // clang-format off
    FEW(ROW_L2, ROW_L3, ROW_K2, ROW_K3)
    BLOCK_ROWS(fp6)
    BLOCK_ROWS(bf6)
    // clang-format on
};
SIM_EXPORT_TABLE(sim_table_valu_scale, rows);
