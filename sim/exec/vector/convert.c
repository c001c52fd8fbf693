// SPDX-License-Identifier: MIT
// Defines conversion rows between integers, f16, bf16, f32, f64 and the 8-bit floats. Float to integer
// truncates, saturates and turns NaN into 0 (CDNA3 ISA, V_CVT_U32_F32 ...).
#include "sim/exec/vector/small.h"
#include "sim/exec/vector/vector.h"

static inline int32_t to_i32(double v) {
  return v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : v == v ? (int32_t)v : 0;
}
static inline uint32_t to_u32(double v) {
  return v >= 4294967295.0 ? UINT32_MAX : v > 0 ? (uint32_t)(int64_t)v : 0;
}
static inline int32_t to_i16(float v) {
  return v >= 32767 ? 32767 : v <= -32768 ? -32768 : v == v ? (int32_t)v : 0;
}
static inline uint32_t to_u16(float v) { return v >= 65535 ? 65535 : v > 0 ? (uint32_t)(int32_t)v : 0; }
static inline uint32_t to_u8(float v) { return v >= 255 ? 255 : v > 0 ? (uint32_t)(int32_t)v : 0; }

// Rounds to nearest even, whatever rounding mode the host currently has, for small magnitudes.
static inline int32_t nearest(double v) { return (int32_t)((v + 0x1.8p52) - 0x1.8p52); }
static inline uint32_t snorm(float v) {
  double clamped = v > 1 ? 1.0 : v < -1 ? -1.0 : v == v ? (double)v : 0.0;
  return (uint32_t)nearest(clamped * 32767.0) & 0xffff;
}
static inline uint32_t unorm(float v) {
  double clamped = v > 1 ? 1.0 : v > 0 ? (double)v : 0.0;
  return (uint32_t)nearest(clamped * 65535.0);
}

static inline uint32_t sat_i16(int32_t v) {
  return (uint32_t)(v < -32768 ? -32768 : v > 32767 ? 32767 : v) & 0xffff;
}
static inline uint32_t sat_u16(uint32_t v) { return v > 65535 ? 65535 : v; }

static inline uint32_t half_truncated(float v, uint32_t mode) {
  uint32_t bits = sim_bits32(v), m = bits & 0x7fffffffu;
  float units = sim_f32(m < 0x38800000u ? m : 0) * 0x1p24f;
  uint32_t denormal = (uint32_t)(int32_t)units, normal = (m - (112u << 23)) >> 13;
  uint32_t h = m < 0x38800000u ? denormal : normal;
  h = m >= 0x47800000u ? 0x7bff : h;
  h = m >= 0x7f800000u ? 0x7c00 | (m >> 13 & 0x3ff) : h;
  return half_result(h | (bits >> 16 & 0x8000), v, mode);
}
// Rounds to f16 and bf16 stochastically: the random word's high bits are added below the last place, then the
// rest is cut.
static inline uint32_t half_stochastic(float v, uint32_t random, uint32_t mode) {
  uint32_t bits = sim_bits32(v), m = bits & 0x7fffffffu;
  if (m >= 0x7f800000u) return half_nearest(v, mode);
  double units = fabs((double)v) * (m < 0x38800000u ? 0x1p24 : 0);
  uint32_t floor_units = (uint32_t)units, fraction = (uint32_t)((units - floor_units) * 0x1p32);
  uint32_t denormal = floor_units + (((uint64_t)fraction + random) >> 32 ? 1 : 0);
  uint32_t normal = ((m + (random >> 19)) - (112u << 23)) >> 13;
  uint32_t h = m < 0x38800000u ? denormal : normal > 0x7c00 || m >= 0x47800000u ? 0x7c00 : normal;
  return half_result(h | (bits >> 16 & 0x8000), v, mode);
}
static inline uint32_t bf16_stochastic(float v, uint32_t random) {
  uint32_t bits = sim_bits32(v);
  if ((bits & 0x7fffffffu) >= 0x7f800000u) return sim_to_bf16(bits);
  return (bits + (random >> 16)) >> 16;
}

#define PAIR(f) (sim_encode_small(a, 0, &f, to_nearest(x)) | sim_encode_small(b, 0, &f, to_nearest(x)) << 8)
#define RANDOM(f) sim_encode_small(a, 0, &f, randomly(x, b))
#define DECODED_PAIR(f)                                                                                   \
  (sim_bits32(sim_decode_small(a & 0xff, &f)) | (uint64_t)sim_bits32(sim_decode_small(a >> 8 & 0xff, &f)) \
                                                    << 32)
#define OFFSET_I4(v) ((float)((int32_t)((v) << 28) >> 28) * 0.0625f)

#define LINES(L1, L2, L3)                                                                                   \
  L1(v_cvt_i32_f64, i32, f64, BOTH, 0, to_i32(a))                                                           \
  L1(v_cvt_u32_f64, u32, f64, BOTH, 0, to_u32(a))                                                           \
  L1(v_cvt_f64_i32, f64, i32, BOTH, 0, (double)a)                                                           \
  L1(v_cvt_f64_u32, f64, u32, BOTH, 0, (double)a)                                                           \
  L1(v_cvt_f32_i32, f32, i32, BOTH, 0, (float)a)                                                            \
  L1(v_cvt_f32_u32, f32, u32, BOTH, 0, (float)(double)a)                                                    \
  L1(v_cvt_u32_f32, u32, f32, BOTH, 0, to_u32(a))                                                           \
  L1(v_cvt_i32_f32, i32, f32, BOTH, 0, to_i32(a))                                                           \
  L1(v_cvt_f16_f32, f16, f32, BOTH, 0, sim_nan1(a, a))                                                      \
  L1(v_cvt_f32_f16, f32, f16, BOTH, 0, sim_nan1(a, a))                                                      \
  L1(v_cvt_f32_bf16, f32, bf16, GFX950, 0, sim_nan1(a, a))                                                  \
  L1(v_cvt_rpi_i32_f32, i32, f32, BOTH, 0, to_i32(floorf(a + 0.5f)))                                        \
  L1(v_cvt_flr_i32_f32, i32, f32, BOTH, 0, to_i32(floorf(a)))                                               \
  L1(v_cvt_off_f32_i4, f32, b32, BOTH, 0, OFFSET_I4(a))                                                     \
  L1(v_cvt_f32_f64, f32, f64, BOTH, 0, a == a ? (float)a : (float)sim_dnan1(a, a))                          \
  L1(v_cvt_f64_f32, f64, f32, BOTH, 0, (double)sim_nan1(a, a))                                              \
  L1(v_cvt_f32_ubyte0, f32, b32, BOTH, 0, (float)(int32_t)(a & 0xff))                                       \
  L1(v_cvt_f32_ubyte1, f32, b32, BOTH, 0, (float)(int32_t)(a >> 8 & 0xff))                                  \
  L1(v_cvt_f32_ubyte2, f32, b32, BOTH, 0, (float)(int32_t)(a >> 16 & 0xff))                                 \
  L1(v_cvt_f32_ubyte3, f32, b32, BOTH, 0, (float)(int32_t)(a >> 24))                                        \
  L1(v_cvt_f16_u16, f16, u16, BOTH, 0, (float)(int32_t)a)                                                   \
  L1(v_cvt_f16_i16, f16, i16, BOTH, 0, (float)a)                                                            \
  L1(v_cvt_u16_f16, u16, f16, BOTH, 0, to_u16(a))                                                           \
  L1(v_cvt_i16_f16, i16, f16, BOTH, 0, to_i16(a))                                                           \
  L1(v_cvt_norm_i16_f16, i16, f16, BOTH, 0, snorm(a))                                                       \
  L1(v_cvt_norm_u16_f16, u16, f16, BOTH, 0, unorm(a))                                                       \
  L2(v_cvt_pknorm_i16_f32, b32, f32, f32, BOTH, 0, snorm(a) | snorm(b) << 16)                               \
  L2(v_cvt_pknorm_u16_f32, b32, f32, f32, BOTH, 0, unorm(a) | unorm(b) << 16)                               \
  L2(v_cvt_pknorm_i16_f16, b32, f16, f16, BOTH, 0, snorm(a) | snorm(b) << 16)                               \
  L2(v_cvt_pknorm_u16_f16, b32, f16, f16, BOTH, 0, unorm(a) | unorm(b) << 16)                               \
  L2(v_cvt_pk_u16_u32, b32, u32, u32, BOTH, 0, sat_u16(a) | sat_u16(b) << 16)                               \
  L2(v_cvt_pk_i16_i32, b32, i32, i32, BOTH, 0, sat_i16(a) | sat_i16(b) << 16)                               \
  L2(v_cvt_pkrtz_f16_f32, b32, f32, f32, BOTH, 0,                                                           \
     half_truncated(a, x->mode) | half_truncated(b, x->mode) << 16)                                         \
  L2(v_cvt_pk_f16_f32, b32, f32, f32, GFX950, 0, half_nearest(a, x->mode) | half_nearest(b, x->mode) << 16) \
  L2(v_cvt_pk_bf16_f32, b32, f32, f32, GFX950, 0,                                                           \
     sim_to_bf16(sim_bits32(a)) | sim_to_bf16(sim_bits32(b)) << 16)                                         \
  L3(v_cvt_pk_u8_f32, b32, f32, u32, b32, BOTH, 0,                                                          \
     (c & ~(0xffu << (8 * (b & 3)))) | to_u8(a) << (8 * (b & 3)))
LINES(SIM_DEF1, SIM_DEF2, SIM_DEF3)

// These rows keep part of the destination, c being its old value: R(mnemonic, second source type, chips,
// name, expression).
#define KEEPING(R)                                                                                         \
  R(v_cvt_pkaccum_u8_f32, u32, BOTH, pkaccum, (c & ~(0xffu << (8 * (b & 3)))) | to_u8(a) << (8 * (b & 3))) \
  R(v_cvt_sr_f16_f32, u32, GFX950, sr_f16, in_half(c, half_stochastic(a, b, x->mode), x))                  \
  R(v_cvt_sr_bf16_f32, u32, GFX950, sr_bf16, in_half(c, bf16_stochastic(a, b), x))                         \
  R(v_cvt_pk_fp8_f32, f32, GFX950, pk_fp8, in_half(c, PAIR(sim_fp8), x))                                   \
  R(v_cvt_pk_bf8_f32, f32, GFX950, pk_bf8, in_half(c, PAIR(sim_bf8), x))                                   \
  R(v_cvt_sr_fp8_f32, u32, GFX950, sr_fp8, in_byte(c, RANDOM(sim_fp8), x))                                 \
  R(v_cvt_sr_bf8_f32, u32, GFX950, sr_bf8, in_byte(c, RANDOM(sim_bf8), x))                                 \
  R(v_cvt_pk_fp8_f32, f32, GFX942, pk_fp8_fnuz, in_half(c, PAIR(sim_fp8_fnuz), x))                         \
  R(v_cvt_pk_bf8_f32, f32, GFX942, pk_bf8_fnuz, in_half(c, PAIR(sim_bf8_fnuz), x))                         \
  R(v_cvt_sr_fp8_f32, u32, GFX942, sr_fp8_fnuz, in_byte(c, RANDOM(sim_fp8_fnuz), x))                       \
  R(v_cvt_sr_bf8_f32, u32, GFX942, sr_bf8_fnuz, in_byte(c, RANDOM(sim_bf8_fnuz), x))
#define KEEP_DEF(m, TB, chips, name, expr) SIM_FN3(lanes_##name, b32, f32, TB, b32, expr)
#define KEEP_ROW(m, TB, chips, name, expr) \
  SIM_AS(m, "=b32,f32," #TB, sim_valu, chips, SIM_V_READS_DST, 0, lanes_##name)
KEEPING(KEEP_DEF)

// Convert 8-bit floats to f32: one, or a pair into two registers.
#define DECODING(R)                                                                      \
  R(v_cvt_f32_fp8, f32, GFX950, f32_fp8, sim_decode_small(a & 0xff, &sim_fp8))           \
  R(v_cvt_f32_bf8, f32, GFX950, f32_bf8, sim_decode_small(a & 0xff, &sim_bf8))           \
  R(v_cvt_f32_fp8, f32, GFX942, f32_fp8_fnuz, sim_decode_small(a & 0xff, &sim_fp8_fnuz)) \
  R(v_cvt_f32_bf8, f32, GFX942, f32_bf8_fnuz, sim_decode_small(a & 0xff, &sim_bf8_fnuz)) \
  R(v_cvt_pk_f32_fp8, b64, GFX950, pk_f32_fp8, DECODED_PAIR(sim_fp8))                    \
  R(v_cvt_pk_f32_bf8, b64, GFX950, pk_f32_bf8, DECODED_PAIR(sim_bf8))                    \
  R(v_cvt_pk_f32_fp8, b64, GFX942, pk_f32_fp8_fnuz, DECODED_PAIR(sim_fp8_fnuz))          \
  R(v_cvt_pk_f32_bf8, b64, GFX942, pk_f32_bf8_fnuz, DECODED_PAIR(sim_bf8_fnuz))
#define DECODE_DEF(m, TD, chips, name, expr) SIM_FN1(lanes_##name, TD, b32, expr)
#define DECODE_ROW(m, TD, chips, name, expr) SIM_AS(m, "=" #TD ",b32", sim_valu, chips, 0, 0, lanes_##name)
DECODING(DECODE_DEF)

static const sim_opinfo rows[] = {LINES(SIM_ROW1, SIM_ROW2, SIM_ROW3) KEEPING(KEEP_ROW) DECODING(DECODE_ROW)};
SIM_EXPORT_TABLE(sim_table_valu_convert, rows);
