// SPDX-License-Identifier: MIT
// Decodes and rounds the binary floats of up to 16 bits by their definitions: IEEE 754 (f16), its upper half
// for f32 (bf16), OCP 8-bit Floating Point Specification 1.0, FNUZ (ROCm documentation, "Low precision
// floating point types"), OCP Microscaling Formats 1.0.
#ifndef WT_TESTS_KERNELS_FLOAT_FORMATS_H
#define WT_TESTS_KERNELS_FLOAT_FORMATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Describes a binary float: bits of exponent and mantissa, its bias, its largest finite magnitude.
typedef struct format {
  const char *name;
  int exponent, mantissa, bias;
  double largest;
  bool fnuz;      // no infinity, no -0, the code of -0 is the only NaN
  bool infinity;  // the highest exponent holds infinity and NaN, otherwise numbers, and NaN at the very top
} format;

static const format half = {"f16", 5, 10, 15, 65504, false, true};
static const format brain = {"bf16", 8, 7, 127, 0x1.fep127, false, true};
static const format e4m3[2] = {{"fp8e4m3", 4, 3, 8, 240, true, false},
                               {"fp8e4m3", 4, 3, 7, 448, false, false}};
static const format e5m2[2] = {{"fp8e5m2", 5, 2, 16, 57344, true, false},
                               {"fp8e5m2", 5, 2, 15, 57344, false, true}};

// These have no infinity and no NaN (OCP Microscaling Formats 1.0).
static const format e2m3 = {"fp6e2m3", 2, 3, 1, 7.5, false, false};
static const format e3m2 = {"fp6e3m2", 3, 2, 3, 28, false, false};
static const format e2m1 = {"fp4e2m1", 2, 1, 1, 6, false, false};

static inline int width(const format *f) { return 1 + f->exponent + f->mantissa; }

static inline double decode(const format *f, uint32_t code) {
  const uint32_t sign = code >> (width(f) - 1), magnitude = code & ((1u << (width(f) - 1)) - 1);
  const int exponent = (int)(magnitude >> f->mantissa);
  const uint32_t fraction = magnitude & ((1u << f->mantissa) - 1);
  if (f->fnuz && sign && !magnitude) return NAN;
  if (f->infinity && exponent == (1 << f->exponent) - 1) return fraction ? NAN : sign ? -INFINITY : INFINITY;
  if (width(f) == 8 && !f->infinity && !f->fnuz && magnitude == (1u << (width(f) - 1)) - 1) return NAN;
  const double value = exponent
                           ? ldexp((double)(fraction | 1u << f->mantissa), exponent - f->bias - f->mantissa)
                           : ldexp((double)fraction, 1 - f->bias - f->mantissa);
  return sign ? -value : value;
}

// Returns the nearest number of the format, of two the one with the even mantissa; what lies beyond the
// largest by half a step or more becomes infinite here. Or, towards zero.
static inline double nearest(const format *f, double value, bool towards_zero) {
  if (isnan(value) || isinf(value) || value == 0) return value;
  int power;
  frexp(value, &power);
  if (power - 1 < 1 - f->bias) power = 2 - f->bias;
  const double step = ldexp(1, power - 1 - f->mantissa);
  const double rounded = (towards_zero ? trunc(value / step) : rint(value / step)) * step;
  if (fabs(rounded) <= f->largest) return rounded;
  return copysign(towards_zero ? f->largest : INFINITY, value);
}

// Returns the code of a number of the format, or of infinity or NaN where it has one.
static inline uint32_t encode(const format *f, double number) {
  const uint32_t sign = (uint32_t)(signbit(number) != 0) << (width(f) - 1);
  const uint32_t top = ((1u << f->exponent) - 1) << f->mantissa;  // the highest exponent
  if (isnan(number))
    return f->fnuz ? 1u << (width(f) - 1) : top | (f->infinity ? 1u << (f->mantissa - 1) : 7);
  if (isinf(number)) return sign | top;
  if (number == 0) return f->fnuz ? 0 : sign;
  int power;
  frexp(number, &power);
  if (power - 1 < 1 - f->bias) power = 2 - f->bias;
  const uint32_t steps = (uint32_t)ldexp(fabs(number), f->mantissa + 1 - power);  // with the leading one
  // To its exponent, one adds 1.
  return sign | (((uint32_t)(power - 2 + f->bias) << f->mantissa) + steps);
}

// Returns what becomes of an f32, as a number of the format.
static inline double narrowed(const format *f, float value, bool saturate, bool towards_zero) {
  if (isnan(value)) return NAN;
  double result = nearest(f, (double)value, towards_zero);
  if (isinf(result) && saturate && isfinite(value)) result = copysign(f->largest, (double)value);
  if (isinf(result) && !f->infinity) return NAN;
  return f->fnuz && result == 0 ? 0.0 : result;
}

static inline bool same(double got, double want) {
  return isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want);
}

#endif
