// SPDX-License-Identifier: MIT
// Has the floating-point rules of the vector ALU: which NaN comes out, and conversions between f16, bf16, f32
// and f64 that round once and give the same bits under every host variant and compiler.
//
// This file chooses between NaNs. The manual's pseudocode names one generated NaN, 0xffc00000 (0xfe00,
// 0xfff8...: v_div_fixup); it is used for every invalid operation. A NaN source is handed on quieted, the
// first source in operand order winning; the manual does not say which wins.
#ifndef SIM_EXEC_VECTOR_NUMBER_H
#define SIM_EXEC_VECTOR_NUMBER_H

#include "sim/exec/vector/vector.h"

#define SIM_NAN32 0xffc00000u
#define SIM_NAN64 0xfff8000000000000u

static inline int sim_isnan32(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }
static inline int sim_isnan64(uint64_t bits) { return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }
static inline uint32_t sim_quiet32(uint32_t bits) { return bits | 0x400000u; }
static inline uint64_t sim_quiet64(uint64_t bits) { return bits | 0x8000000000000u; }
static inline int sim_issnan32(uint32_t bits) { return sim_isnan32(bits) & ((bits & 0x400000u) == 0); }
static inline int sim_issnan64(uint64_t bits) { return sim_isnan64(bits) & ((bits & 0x8000000000000u) == 0); }

// Returns the result r, or the NaN that takes its place. A source that the operation does not have is passed
// as a repeat of another.
static inline float sim_nan3(float r, float a, float b, float c) {
  uint32_t ua = sim_bits32(a), ub = sim_bits32(b), uc = sim_bits32(c);
  uint32_t nan = sim_isnan32(uc) ? sim_quiet32(uc) : SIM_NAN32;
  nan = sim_isnan32(ub) ? sim_quiet32(ub) : nan;
  nan = sim_isnan32(ua) ? sim_quiet32(ua) : nan;
  uint32_t bits = sim_bits32(r);
  return sim_f32(sim_isnan32(bits) ? nan : bits);
}
static inline float sim_nan2(float r, float a, float b) { return sim_nan3(r, a, b, b); }
static inline float sim_nan1(float r, float a) { return sim_nan3(r, a, a, a); }
static inline double sim_dnan3(double r, double a, double b, double c) {
  uint64_t ua = sim_bits64(a), ub = sim_bits64(b), uc = sim_bits64(c);
  uint64_t nan = sim_isnan64(uc) ? sim_quiet64(uc) : SIM_NAN64;
  nan = sim_isnan64(ub) ? sim_quiet64(ub) : nan;
  nan = sim_isnan64(ua) ? sim_quiet64(ua) : nan;
  uint64_t bits = sim_bits64(r);
  return sim_f64(sim_isnan64(bits) ? nan : bits);
}
static inline double sim_dnan2(double r, double a, double b) { return sim_dnan3(r, a, b, b); }
static inline double sim_dnan1(double r, double a) { return sim_dnan3(r, a, a, a); }

// Denormals become zeros of their sign.
static inline uint32_t sim_flush32(uint32_t bits) { return bits & 0x7f800000u ? bits : bits & 0x80000000u; }
static inline uint64_t sim_flush64(uint64_t bits) {
  return bits & 0x7ff0000000000000u ? bits : bits & 0x8000000000000000u;
}
static inline float sim_flushf(float value) { return sim_f32(sim_flush32(sim_bits32(value))); }

// Converts f16 bits to f32 bits exactly; a signalling NaN remains one.
static inline uint32_t sim_from_f16(uint32_t h) {
  uint32_t magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
  uint32_t normal = (magnitude << 13) + (112u << 23);
  uint32_t special = (magnitude << 13) | 0x7f800000u;
  uint32_t denormal = sim_bits32((float)(int32_t)magnitude * 0x1p-24f);
  uint32_t bits = magnitude < 0x400 ? denormal : magnitude >= 0x7c00 ? special : normal;
  return bits | sign;
}

// Converts f32 bits to f16 bits, to nearest even. NaN payloads keep their high bits; the operation quiets
// NaNs.
static inline uint32_t sim_to_f16(uint32_t bits) {
  uint32_t magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000;
  uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  // Below 2^-14 the f16 spacing is 2^-24, the spacing of f32 around 0.5: adding 0.5 rounds there.
  uint32_t small = magnitude < 0x38800000u ? magnitude : 0;
  uint32_t denormal = sim_bits32(sim_f32(small) + 0.5f) - 0x3f000000u;
  uint32_t payload = magnitude >> 13 & 0x3ff;
  uint32_t nan = 0x7c00 | (payload ? payload : 0x200);
  uint32_t h = magnitude < 0x38800000u ? denormal : magnitude >= 0x47800000u ? 0x7c00 : normal;
  return (magnitude > 0x7f800000u ? nan : h) | sign;
}

// Converts f32 bits to f16 bits under a MODE rounding field: 0 nearest even, 1 up, 2 down, 3 to zero. Only
// finite values, and only when the field is not 0, differ from sim_to_f16.
uint32_t SIM_VARIANT_NAME(sim_to_f16_mode)(uint32_t bits, unsigned rounding);

// Converts f64 to f32 with the discarded bits ORed into the last place: a later rounding to f16 or bf16 is
// then right.
static inline float sim_round_odd(double value) {
  float nearest = (float)value;
  uint32_t bits = sim_bits32(nearest);
  double back = (double)nearest;
  // Step towards zero when the conversion moved away from it, then mark inexactness in the last bit.
  uint32_t away = fabs(back) > fabs(value);
  uint32_t odd = (bits - away) | 1;
  return sim_f32(back == value || value != value ? bits : odd);
}

// Converts f32 bits to bf16 bits, to nearest even; NaN is quieted.
static inline uint32_t sim_to_bf16(uint32_t bits) {
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return sim_isnan32(bits) ? (bits >> 16 | 0x40) : rounded;
}

// Compute min and max of the manual's pseudocode: with IEEE a signalling NaN comes out quieted, otherwise the
// number wins over a NaN; -0 < +0. Bits are compared as sign-magnitude integers, without branches.
static inline int32_t sim_order32(uint32_t bits) {
  return (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) & 0x7fffffffu));
}
static inline int64_t sim_order64(uint64_t bits) {
  return (int64_t)(bits ^ ((uint64_t)((int64_t)bits >> 63) & 0x7fffffffffffffffu));
}
static inline uint32_t sim_numbers_first32(uint32_t picked, uint32_t a, uint32_t b, uint32_t mode) {
  uint32_t r = sim_isnan32(b) ? a : picked;
  r = sim_isnan32(a) ? b : r;
  uint32_t ieee = mode >> 9 & 1;
  r = ieee & (uint32_t)sim_issnan32(b) ? sim_quiet32(b) : r;
  return ieee & (uint32_t)sim_issnan32(a) ? sim_quiet32(a) : r;
}
static inline uint64_t sim_numbers_first64(uint64_t picked, uint64_t a, uint64_t b, uint32_t mode) {
  uint64_t r = sim_isnan64(b) ? a : picked;
  r = sim_isnan64(a) ? b : r;
  uint64_t ieee = mode >> 9 & 1;
  r = ieee & (uint64_t)sim_issnan64(b) ? sim_quiet64(b) : r;
  return ieee & (uint64_t)sim_issnan64(a) ? sim_quiet64(a) : r;
}
static inline uint32_t sim_pick_min32(uint32_t a, uint32_t b) {
  return sim_order32(a) < sim_order32(b) ? a : b;
}
static inline uint32_t sim_pick_max32(uint32_t a, uint32_t b) {
  return sim_order32(a) > sim_order32(b) ? a : b;
}
static inline float sim_min32(float a, float b, uint32_t mode) {
  uint32_t ua = sim_bits32(a), ub = sim_bits32(b);
  return sim_f32(sim_numbers_first32(sim_pick_min32(ua, ub), ua, ub, mode));
}
static inline float sim_max32(float a, float b, uint32_t mode) {
  uint32_t ua = sim_bits32(a), ub = sim_bits32(b);
  return sim_f32(sim_numbers_first32(sim_pick_max32(ua, ub), ua, ub, mode));
}
static inline double sim_min64(double a, double b, uint32_t mode) {
  uint64_t ua = sim_bits64(a), ub = sim_bits64(b);
  return sim_f64(sim_numbers_first64(sim_order64(ua) < sim_order64(ub) ? ua : ub, ua, ub, mode));
}
static inline double sim_max64(double a, double b, uint32_t mode) {
  uint64_t ua = sim_bits64(a), ub = sim_bits64(b);
  return sim_f64(sim_numbers_first64(sim_order64(ua) > sim_order64(ub) ? ua : ub, ua, ub, mode));
}

#endif
