// SPDX-License-Identifier: MIT
// Implements the half-precision conversions that ROCm's runtime exports for host code of compilers without
// them.
#include <math.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(default)
float __gnu_h2f_ieee(unsigned short half);
unsigned short __gnu_f2h_ieee(float value);
#pragma GCC visibility pop

enum { REBIAS = 127 - 15 };

float __gnu_h2f_ieee(unsigned short half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff, bits;
  if (exponent == 0) return copysignf((float)mantissa * 0x1p-24f, sign ? -1.0f : 1.0f);
  bits = sign | (exponent == 31 ? 255u : exponent + REBIAS) << 23 | mantissa << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

unsigned short __gnu_f2h_ieee(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return (unsigned short)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));  // quiet NaN
  if (magnitude >= 0x477ff000) return (unsigned short)(sign | 0x7c00);   // 65520 and more round to infinity
  if (magnitude < 0x38800000)                                            // below 2^-14: a multiple of 2^-24
    return (unsigned short)(sign | (uint32_t)rintf(fabsf(value) * 0x1p24f));
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);  // to nearest, ties to even
  return (unsigned short)(sign | ((rounded >> 13) - (REBIAS << 10)));
}
