// SPDX-License-Identifier: MIT
// Converts eight-, six- and four-bit floats: encodes with nearest-even or stochastic rounding, and decodes.
// Formats: OCP E4M3, E5M2, E2M3, E3M2, E2M1 (gfx950) and the FNUZ pair of gfx942 (one NaN, 0x80, and no -0);
// ranges from AMD's HIP documentation of low-precision types.
#ifndef SIM_EXEC_VECTOR_SMALL_H
#define SIM_EXEC_VECTOR_SMALL_H

#include "sim/exec/vector/number.h"

typedef struct sim_small {
  int mantissa;       // bits
  int lowest;         // exponent of the smallest normal number
  uint32_t max;       // largest finite code
  uint32_t overflow;  // code of an overflow when it does not saturate
  uint32_t nan;       // code of a NaN; 0 when there is none (a NaN then saturates)
  uint32_t sign;      // sign bit
  bool fnuz;
} sim_small;

static const sim_small sim_fp8 = {3, -6, 0x7e, 0x7f, 0x7f, 0x80, false};
static const sim_small sim_bf8 = {2, -14, 0x7b, 0x7c, 0x7f, 0x80, false};
static const sim_small sim_fp8_fnuz = {3, -7, 0x7f, 0x80, 0x80, 0x80, true};
static const sim_small sim_bf8_fnuz = {2, -15, 0x7f, 0x80, 0x80, 0x80, true};
static const sim_small sim_fp6 = {3, 0, 0x1f, 0x1f, 0, 0x20, false};
static const sim_small sim_bf6 = {2, -2, 0x1f, 0x1f, 0, 0x20, false};
static const sim_small sim_fp4 = {1, 0, 0x7, 0x7, 0, 0x8, false};

// Says how an encoding rounds: to nearest even, or up when the discarded fraction plus the 32 random bits
// carry. For a normal result that is the manual's "add S1's high bits to the discarded mantissa bits,
// truncate".
typedef struct sim_rounding {
  bool stochastic, saturate;
  uint32_t random;
} sim_rounding;

// Returns the code of value * 2^-shift. It is written without branches, so that loops over lanes become
// vector code.
static inline uint32_t sim_encode_small(float value, int shift, const sim_small *f, sim_rounding how) {
  uint32_t bits = sim_bits32(value), magnitude = bits & 0x7fffffffu;
  uint32_t sign = bits >> 31 ? f->sign : 0;
  // A denormal f32 is normalised, since the scale may lift it.
  uint32_t tiny = magnitude < 0x800000u;
  uint32_t normal = tiny ? sim_bits32(sim_f32(magnitude) * 0x1p24f) : magnitude;
  int exponent = (int)(normal >> 23) - 127 - (tiny ? 24 : 0) - shift;
  uint64_t significand = (normal & 0x7fffffu) | 0x800000u;
  int top = exponent > f->lowest ? exponent : f->lowest;
  int drop = top - f->mantissa - (exponent - 23);
  uint64_t wide = (significand << 32) >> (drop > 63 ? 63 : drop);  // 32 bits below the last place
  uint64_t increment = how.stochastic ? how.random : 0x7fffffffu + (wide >> 32 & 1);
  uint64_t place = (uint64_t)(uint32_t)(top - f->lowest) << f->mantissa;
  uint64_t rounded = ((wide + increment) >> 32) + place;
  uint32_t code = rounded > f->max ? f->max + 1 : (uint32_t)rounded;
  code = magnitude == 0 ? 0 : code;
  code = magnitude == 0x7f800000u ? f->max + 1 : code;
  uint32_t negative_zero = f->fnuz ? 0 : sign;
  uint32_t r = code ? sign | code : negative_zero;
  uint32_t overflow = how.saturate ? sign | f->max : f->fnuz ? f->nan : sign | f->overflow;
  uint32_t nan = f->fnuz ? f->nan : sign | (f->nan ? f->nan : f->max);
  r = code > f->max ? overflow : r;
  return magnitude > 0x7f800000u ? nan : r;
}

// Returns the value of a code, which is exact in f32.
static inline float sim_decode_small(uint32_t code, const sim_small *f) {
  uint32_t magnitude = code & (f->sign - 1), sign = code & f->sign ? 0x80000000u : 0;
  uint32_t exponent = magnitude >> f->mantissa, fraction = magnitude & ((1u << f->mantissa) - 1);
  int place = (exponent ? (int)exponent - 1 : 0) + f->lowest - f->mantissa;
  float units = (float)(int32_t)(exponent ? fraction | 1u << f->mantissa : fraction);
  uint32_t r = sim_bits32(units * sim_f32((uint32_t)(place + 127) << 23)) | sign;
  bool infinite = !f->fnuz && f->nan && magnitude == f->overflow && f->overflow != f->nan;
  bool nan = f->fnuz ? code == f->nan : f->nan && magnitude > f->max;
  uint32_t special = infinite ? sign | 0x7f800000u : f->fnuz ? SIM_NAN32 : sign | 0x7fc00000u;
  return sim_f32(nan ? special : r);
}

// Completes the f16 result of a conversion that does its own rounding: quiets NaN, applies MODE's FP16_OVFL
// and denormal flush.
static inline uint32_t half_result(uint32_t h, float from, uint32_t mode) {
  uint32_t bits = sim_bits32(from);
  h = sim_isnan32(bits) ? h | 0x200 : h;
  uint32_t overflow = ((h & 0x7fff) == 0x7c00) & ((bits & 0x7fffffffu) != 0x7f800000u);
  h = (mode >> 23 & 1 & overflow) ? (h & 0x8000) | 0x7bff : h;
  uint32_t flush = (~mode >> 7 & 1) & ((h & 0x7c00) == 0);
  return flush ? h & 0x8000 : h;
}
static inline uint32_t half_nearest(float v, uint32_t mode) {
  return half_result(sim_to_f16(sim_bits32(v)), v, mode);
}

// Writes the part of the destination that op_sel chooses: bit 3 is the half, bits 3:2 are the byte; the rest
// is kept.
static inline uint32_t in_half(uint32_t old, uint32_t value, const sim_lane_context *x) {
  return x->op->op_sel & 8 ? (old & 0xffff) | value << 16 : (old & 0xffff0000u) | (value & 0xffff);
}
static inline uint32_t in_byte(uint32_t old, uint32_t value, const sim_lane_context *x) {
  uint32_t shift = 8 * (x->op->op_sel >> 2 & 3);
  return (old & ~(0xffu << shift)) | value << shift;
}

// FP16_OVFL makes 8-bit floats saturate; otherwise an overflow is NaN (E4M3, FNUZ) or infinity (E5M2).
static inline sim_rounding to_nearest(const sim_lane_context *x) {
  return (sim_rounding){.saturate = x->mode & SIM_MODE_FP16_OVFL};
}
static inline sim_rounding randomly(const sim_lane_context *x, uint32_t random) {
  return (sim_rounding){.stochastic = true, .saturate = x->mode & SIM_MODE_FP16_OVFL, .random = random};
}

#endif
