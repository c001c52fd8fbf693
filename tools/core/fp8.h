// SPDX-License-Identifier: MIT
// Implements FP8 on the host: the four encodings that the two chips use, rounding to nearest even with
// saturation.
#ifndef WT_TOOLS_FP8_H
#define WT_TOOLS_FP8_H

#include <stdint.h>

// Sources: OCP 8-bit Floating Point Specification 1.0 (E4M3, E5M2); CDNA3 ISA and ROCm HIP documentation
// (FNUZ).
typedef struct fp8_format {
  const char *name;
  int mantissa_bits;
  int min_exponent;       // of the smallest normal number
  uint8_t max_code;       // largest finite magnitude
  uint8_t nan_code;       // one NaN; fp8_decode knows the others
  uint8_t infinity_code;  // 0 when there is none
  int negative_zero;      // whether 0x80 is -0 (else it is NaN)
  float max;
} fp8_format;

extern const fp8_format fp8_e4m3, fp8_e5m2, fp8_e4m3_fnuz, fp8_e5m2_fnuz;

// Encodes a number. NaN remains NaN; everything beyond the largest finite number, infinities included,
// becomes that number.
uint8_t fp8_encode(const fp8_format *format, float value);
float fp8_decode(const fp8_format *format, uint8_t code);

// Returns the scale that makes a magnitude the largest number of the format, which is at least 2^-126; 1 for
// 0.
float fp8_scale_of(const fp8_format *format, float largest);

#endif
