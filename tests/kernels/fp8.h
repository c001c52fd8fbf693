// SPDX-License-Identifier: MIT
// Holds FP8 as tables of 256 values, OCP and FNUZ, decoded from the definitions of the formats (OCP 8-bit
// Floating Point Specification 1.0; FNUZ: ROCm documentation, "Low precision floating point types"), F16 as a
// table of its values, and BF16.
#ifndef WT_TESTS_KERNELS_FP8_H
#define WT_TESTS_KERNELS_FP8_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "include/wavetile.h"

static inline double fp8_value_of(wt_type type, uint8_t code) {
  const bool fnuz = type == WT_TYPE_F8E4M3_FNUZ || type == WT_TYPE_F8E5M2_FNUZ;
  const bool e5m2 = type == WT_TYPE_F8E5M2 || type == WT_TYPE_F8E5M2_FNUZ;
  const int mantissa_bits = e5m2 ? 2 : 3, bias = (e5m2 ? 15 : 7) + fnuz;
  const int exponent = (code & 0x7f) >> mantissa_bits, mantissa = code & ((1 << mantissa_bits) - 1);
  if (fnuz && code == 0x80) return NAN;
  if (type == WT_TYPE_F8E4M3 && (code & 0x7f) == 0x7f) return NAN;
  if (type == WT_TYPE_F8E5M2 && exponent == 31) return mantissa ? NAN : code & 0x80 ? -INFINITY : INFINITY;
  const double magnitude = exponent ? ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)
                                    : ldexp(mantissa, 1 - bias - mantissa_bits);
  return code & 0x80 ? -magnitude : magnitude;
}

// Returns all values of a type by code. They are decoded once, as tests ask for millions of them.
static inline const double *fp8_values(wt_type type) {
  static double values[4][256];
  static bool known[4];
  const int row = type == WT_TYPE_F8E4M3        ? 0
                  : type == WT_TYPE_F8E5M2      ? 1
                  : type == WT_TYPE_F8E4M3_FNUZ ? 2
                                                : 3;
  for (int code = 0; code < 256 && !known[row]; ++code) values[row][code] = fp8_value_of(type, (uint8_t)code);
  known[row] = true;
  return values[row];
}

static inline double fp8_value(wt_type type, uint8_t code) { return fp8_values(type)[code]; }

// Returns a code that decodes to NaN in the format.
static inline uint8_t fp8_nan(wt_type type) {
  return type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E5M2 ? 0x7f : 0x80;
}

// Returns the code nearest to a finite value; a tie goes to the code with an even mantissa, too large a value
// to the largest, and what becomes zero keeps its sign where the format has one.
static inline uint8_t fp8_nearest(wt_type type, double value) {
  const double *values = fp8_values(type), magnitude = fabs(value);
  int below = 0, above = 0x80;  // the values of non-negative codes grow up to the largest, which is finite
  while (!isfinite(values[above - 1])) --above;
  while (above - below > 1) {
    const int middle = (below + above) / 2;
    *(values[middle] <= magnitude ? &below : &above) = middle;
  }
  int code = below;
  if (code < 0x7f && isfinite(values[code + 1])) {
    const double up = values[code + 1] - magnitude, down = magnitude - values[code];
    code += up < down || (up == down && (code & 1));
  }
  const int negative = value < 0 ? 0x80 : 0;
  return (uint8_t)(isnan(values[code | negative]) ? code : code | negative);
}

// Returns all values of F16 by code, decoded once: where the compiler has no instruction for it, a call each
// takes long.
static inline const float *f16_values(void) {
  static float values[1 << 16];
  static bool known;
  for (uint32_t code = 0; code < 1 << 16 && !known; ++code) {
    const uint16_t half = (uint16_t)code;
    _Float16 value;
    memcpy(&value, &half, sizeof value);
    values[code] = (float)value;
  }
  known = true;
  return values;
}

static inline float f16_value(uint16_t code) { return f16_values()[code]; }

// Rounds to nearest even, from 65520 on to infinity.
static inline uint16_t f16_nearest(double value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const double magnitude = fabs(value);
  if (isnan(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 0x1p-14) return sign | (uint16_t)(magnitude * 0x1p24 + 0x1p52 - 0x1p52);  // subnormal
  uint64_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  bits += 0x1ffffffffff + (bits >> 42 & 1);
  return sign | (uint16_t)((bits >> 42) - ((1023 - 15) << 10));
}

static inline float bf16_value(uint16_t code) {
  const uint32_t bits = (uint32_t)code << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Round to nearest even; the argument is not NaN.
static inline uint16_t bf16_nearest(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

#endif
