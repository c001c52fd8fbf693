// SPDX-License-Identifier: MIT
// Converts FP8 on the host, by integer arithmetic on the bits of a float.
#include "fp8.h"

#include <math.h>
#include <string.h>

const fp8_format fp8_e4m3 = {"E4M3 (OCP)", 3, -6, 0x7e, 0x7f, 0, 1, 448.0f};
const fp8_format fp8_e5m2 = {"E5M2 (OCP)", 2, -14, 0x7b, 0x7f, 0x7c, 1, 57344.0f};
const fp8_format fp8_e4m3_fnuz = {"E4M3 (FNUZ)", 3, -7, 0x7f, 0x80, 0, 0, 240.0f};
const fp8_format fp8_e5m2_fnuz = {"E5M2 (FNUZ)", 2, -15, 0x7f, 0x80, 0, 0, 57344.0f};

uint8_t fp8_encode(const fp8_format *format, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t magnitude = bits & 0x7fffffff;
  uint8_t sign = (uint8_t)(bits >> 24 & 0x80);
  if (magnitude > 0x7f800000) return format->nan_code;
  if (value > format->max || value < -format->max) return (uint8_t)(sign | format->max_code);

  int exponent = (int)(magnitude >> 23) - 127;
  uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  int shift = 23 - format->mantissa_bits;  // bits to drop: more of them where the result is subnormal
  int above_min = exponent - format->min_exponent;
  if (above_min < 0) {
    shift -= above_min;
    above_min = 0;
  }
  uint32_t code = 0;
  if (shift <= 24) {  // else below half of the smallest subnormal
    uint32_t kept = significand >> shift, rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    code =
        ((uint32_t)above_min << format->mantissa_bits) + kept;  // the implicit bit carries into the exponent
  }
  if (code > format->max_code) code = format->max_code;
  if (code == 0 && !format->negative_zero) return 0;
  return (uint8_t)(sign | code);
}

float fp8_decode(const fp8_format *format, uint8_t code) {
  int magnitude = code & 0x7f;
  float sign = code & 0x80 ? -1.0f : 1.0f;
  if (code == 0x80 && !format->negative_zero) return NAN;
  if (magnitude > format->max_code)
    return magnitude == format->infinity_code && format->infinity_code ? sign * INFINITY : NAN;
  int exponent = magnitude >> format->mantissa_bits;
  int mantissa = magnitude & ((1 << format->mantissa_bits) - 1);
  if (exponent > 0)
    mantissa += 1 << format->mantissa_bits;
  else
    exponent = 1;
  return sign * ldexpf((float)mantissa, exponent - 1 + format->min_exponent - format->mantissa_bits);
}

float fp8_scale_of(const fp8_format *format, float largest) {
  return largest > 0 ? fmaxf(largest / format->max, 0x1p-126f) : 1;
}
