// SPDX-License-Identifier: MIT
// Tests FP8 on the host, in all four encodings: every code decodes to the value of the published formula, and
// encoding rounds to the nearest code, ties to even, at every threshold between neighbours and for every
// float16 and bfloat16 number.
#include <math.h>
#include <stdbool.h>

#include "check.h"
#include "tools/core/fp8.h"

typedef struct reference {
  const fp8_format *format;
  int mantissa_bits, bias;
  bool ocp;
  double max;
} reference;

static const reference references[] = {
    {&fp8_e4m3, 3, 7, true, 448.0},
    {&fp8_e5m2, 2, 15, true, 57344.0},
    {&fp8_e4m3_fnuz, 3, 8, false, 240.0},
    {&fp8_e5m2_fnuz, 2, 16, false, 57344.0},
};

// Returns the value of a code by the formula of the specifications: (-1)^s 2^(e - bias) (1 + m / 2^bits),
// subnormal when e is 0.
static double value_of(const reference *r, int code) {
  int exponent = (code & 0x7f) >> r->mantissa_bits, mantissa = code & ((1 << r->mantissa_bits) - 1);
  double sign = code & 0x80 ? -1.0 : 1.0;
  if (!r->ocp && code == 0x80) return NAN;
  if (r->ocp && r->mantissa_bits == 3 && (code & 0x7f) == 0x7f) return NAN;
  if (r->ocp && r->mantissa_bits == 2 && exponent == 31) return mantissa ? NAN : sign * INFINITY;
  double fraction = (double)mantissa / (1 << r->mantissa_bits);
  return sign *
         (exponent ? (1.0 + fraction) * pow(2.0, exponent - r->bias) : fraction * pow(2.0, 1 - r->bias));
}

// Returns the nearest finite code by search; ties go to the even code, what is out of range to the largest.
static int nearest(const reference *r, double value) {
  int best = -1;
  double best_distance = INFINITY;
  for (int code = 0; code < 0x80; ++code) {
    double candidate = value_of(r, code);
    if (!isfinite(candidate)) continue;
    double distance = fabs(fabs(value) - candidate);
    if (distance < best_distance || (distance == best_distance && code % 2 == 0)) {
      best = code;
      best_distance = distance;
    }
  }
  if (fabs(value) > r->max) best = r->format->max_code;
  bool negative = signbit(value) && (r->ocp || best);
  return negative ? best | 0x80 : best;
}

static void check_encode(const reference *r, float value) {
  int got = fp8_encode(r->format, value), expected = nearest(r, (double)value);
  CHECK(got == expected, "%s: %a encodes to 0x%02x, expected 0x%02x", r->format->name, (double)value, got,
        expected);
}

static void test_decode(const reference *r) {
  for (int code = 0; code < 256; ++code) {
    double got = (double)fp8_decode(r->format, (uint8_t)code), expected = value_of(r, code);
    CHECK(isnan(expected) ? isnan(got) : got == expected && signbit(got) == signbit(expected),
          "%s: 0x%02x decodes to %a, expected %a", r->format->name, code, got, expected);
    if (isfinite(expected))
      CHECK(fp8_encode(r->format, (float)expected) == code, "%s: 0x%02x does not come back", r->format->name,
            code);
  }
}

// Encoding is monotonic between thresholds, so the thresholds and their neighbours decide every float.
static void test_thresholds(const reference *r) {
  for (int code = 0; code < r->format->max_code; ++code) {
    float low = (float)value_of(r, code), high = (float)value_of(r, code + 1);
    float middle = low + (high - low) / 2;
    const float points[] = {low,    nextafterf(low, high),    nextafterf(middle, low),
                            middle, nextafterf(middle, high), nextafterf(high, low)};
    for (int i = 0; i < 6; ++i) {
      check_encode(r, points[i]);
      check_encode(r, -points[i]);
    }
  }
}

static void test_all_16_bit_numbers(const reference *r) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t low = (uint16_t)bits;
    uint32_t wide = bits << 16;
    _Float16 half;
    float brain;
    memcpy(&half, &low, sizeof half);
    memcpy(&brain, &wide, sizeof brain);
    if (!isnan((float)half)) check_encode(r, (float)half);
    if (!isnan(brain)) check_encode(r, brain);
  }
}

static void test_special(const reference *r) {
  CHECK(isnan(fp8_decode(r->format, fp8_encode(r->format, NAN))), "%s: NaN", r->format->name);
  CHECK((double)fp8_decode(r->format, fp8_encode(r->format, INFINITY)) == r->max, "%s: inf", r->format->name);
  CHECK((double)fp8_decode(r->format, fp8_encode(r->format, -3e38f)) == -r->max, "%s: -3e38",
        r->format->name);
  CHECK(fp8_encode(r->format, -0.0f) == (r->ocp ? 0x80 : 0), "%s: -0", r->format->name);
  CHECK(fp8_encode(r->format, 0x1p-149f) == 0, "%s: smallest float", r->format->name);
}

int main(void) {
  for (size_t i = 0; i < sizeof references / sizeof *references; ++i) {
    test_decode(&references[i]);
    test_thresholds(&references[i]);
    test_all_16_bit_numbers(&references[i]);
    test_special(&references[i]);
  }
  return test_result();
}
