// SPDX-License-Identifier: MIT
// Holds FP8 as tables of 256 values, OCP and FNUZ, decoded from the definitions of the formats (OCP 8-bit
// Floating Point Specification 1.0; FNUZ: ROCm documentation, "Low precision floating point types").
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
// to the largest.
static inline uint8_t fp8_nearest(wt_type type, double value) {
  const double *values = fp8_values(type);
  int best = 0;
  double best_error = INFINITY;
  for (int code = 0; code < 256; ++code) {
    if (!isfinite(values[code])) continue;
    const double error = fabs(values[code] - value);
    if (error < best_error || (error == best_error && (code & 1) == 0)) {
      best = code;
      best_error = error;
    }
  }
  return (uint8_t)best;
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
