// SPDX-License-Identifier: MIT
// Converts one value of each MFMA element format to f32, in arithmetic that a compiler can vectorise.
#ifndef SIM_EXEC_MFMA_FORMATS_H
#define SIM_EXEC_MFMA_FORMATS_H

#include "sim/exec/mfma/mfma.h"

// Converts a small float with the given field widths and bias to f32, without special values. Subnormals
// become normal by subtracting the hidden one they do not have, so no f32 subnormal ever occurs.
static inline float small_float(uint32_t code, int exp_bits, int man_bits, int bias) {
  uint32_t magnitude = code & ((1u << (exp_bits + man_bits)) - 1);
  uint32_t sign = code >> (exp_bits + man_bits) << 31;
  uint32_t normal = (magnitude << (23 - man_bits)) + ((uint32_t)(127 - bias) << 23);
  uint32_t one = (uint32_t)(128 - bias) << 23;
  float subnormal = sim_f32((magnitude << (23 - man_bits)) + one) - sim_f32(one);
  uint32_t bits = magnitude >> man_bits ? normal : sim_bits32(subnormal);
  return sim_f32(bits | sign);
}

static inline uint32_t replace(bool condition, uint32_t with, uint32_t bits) {
  return condition ? with : bits;
}

static inline float from_fp8_ocp(uint32_t code) {  // S.1111.111 is NaN, no infinity
  return sim_f32(replace((code & 0x7f) == 0x7f, 0x7fc00000u, sim_bits32(small_float(code, 4, 3, 7))));
}
static inline float from_bf8_ocp(uint32_t code) {  // the upper half of f16
  uint32_t bits = sim_bits32(small_float(code, 5, 2, 15));
  bits = replace((code & 0x7f) == 0x7c, 0x7f800000u | code >> 7 << 31, bits);
  return sim_f32(replace((code & 0x7f) > 0x7c, 0x7fc00000u, bits));
}
static inline float from_fp8_fnuz(uint32_t code) {  // 0x80 is the only NaN, there is no negative zero
  return sim_f32(replace(code == 0x80, 0x7fc00000u, sim_bits32(small_float(code, 4, 3, 8))));
}
static inline float from_bf8_fnuz(uint32_t code) {
  return sim_f32(replace(code == 0x80, 0x7fc00000u, sim_bits32(small_float(code, 5, 2, 16))));
}
static inline float from_fp6(uint32_t code) { return small_float(code, 2, 3, 1); }
static inline float from_bf6(uint32_t code) { return small_float(code, 3, 2, 3); }
static inline float from_fp4(uint32_t code) { return small_float(code, 2, 1, 1); }
static inline float from_i8(uint32_t code) { return (float)(int8_t)code; }
static inline float from_bf16(uint32_t code) { return sim_f32(code << 16); }
static inline float from_f32(uint32_t bits) { return sim_f32(bits); }

// Drops all but 10 bits of the fraction, as hardware does (MMA-Sim, arXiv 2511.10909). A NaN remains one.
static inline float from_xf32(uint32_t bits) {
  bool nan = (bits & 0x7fffffff) > 0x7f800000u;
  return sim_f32(replace(nan, 0x7fc00000u, bits & 0xffffe000u));
}

static inline float from_f16(uint32_t code) {
  uint32_t bits = sim_bits32(small_float(code, 5, 10, 15));
  bits = replace((code & 0x7fff) == 0x7c00, 0x7f800000u | code >> 15 << 31, bits);
  return sim_f32(replace((code & 0x7fff) > 0x7c00, 0x7fc00000u, bits));
}

#endif
