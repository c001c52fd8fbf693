// SPDX-License-Identifier: MIT
// Encodes small integers in the formats that matrix instructions multiply, from the formats' definitions.
#ifndef WT_TESTS_KERNELS_ISA_FORMATS_H
#define WT_TESTS_KERNELS_ISA_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef enum type { f64, f32, xf32, f16, bf16, i8, fp8e4m3, fp8e5m2, fp6e2m3, fp6e3m2, fp4e2m1 } type;

// Holds the bits, and for floats the exponent bits and the mantissa bits. The 8-bit floats of gfx942 (FNUZ)
// have a bias one higher.
static const struct {
  int bits, exponent, mantissa;
} formats[] = {{64, 11, 52}, {32, 8, 23}, {32, 8, 23}, {16, 5, 10}, {16, 8, 7}, {8, 0, 0},
               {8, 4, 3},    {8, 5, 2},   {6, 2, 3},   {6, 3, 2},   {4, 2, 1}};

// Returns a small integer as T encodes it; its magnitude must be a normal number of T, and exact.
static inline uint64_t encode(type t, bool gfx950, int value) {
  if (t == i8) return (uint8_t)value;
  if (value == 0) return 0;
  const int magnitude = abs(value), fnuz = !gfx950 && (t == fp8e4m3 || t == fp8e5m2);
  int power = 0;
  while (magnitude >> (power + 1)) ++power;
  const int bias = (1 << (formats[t].exponent - 1)) - 1 + fnuz;
  const uint64_t fraction = ((uint64_t)magnitude << formats[t].mantissa) >> power;  // with the leading one
  const uint64_t exponent = (uint64_t)(power + bias - 1) << formats[t].mantissa;  // to which that one adds 1
  return (uint64_t)(value < 0) << (formats[t].bits - 1) | (exponent + fraction);
}

#endif
