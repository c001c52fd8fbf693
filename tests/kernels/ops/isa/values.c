// SPDX-License-Identifier: MIT
// Tests conversions through the wrappers, against arithmetic written from the definitions of the formats: all
// codes of 8- and 16-bit types, and for narrowing edge cases and random numbers of every magnitude. Then it
// checks the arithmetic instructions against libm.
#include <float.h>

#include "float_formats.h"
#include "run.h"

enum { WIDE = 65536, COUNT = 1 << 15, RESULTS = 17 };

static void *from, *to, *singly;
static int count;

static void check_widening(hipModule_t module, const char *name, const format *f, int bits,
                           const char *chip) {
  char kernel[32];
  snprintf(kernel, sizeof kernel, "widen_%s", name);
  count = bits == 8 ? 256 : WIDE;
  for (int i = 0; i < count; ++i) {
    if (bits == 8)
      ((uint8_t *)from)[i] = (uint8_t)i;
    else
      ((uint16_t *)from)[i] = (uint16_t)i;
  }
  void *arguments[] = {&from, &to, &count};
  if (!isa_run(module, kernel, 64, arguments)) return;
  for (int i = 0; i < 2 * count; ++i) {
    const double got = (double)((const float *)to)[i];
    const double want = f ? decode(f, (uint32_t)(i % count)) : (double)(int8_t)i;
    CHECK(same(got, want), "%s on %s: code %x is %a, expected %a", kernel, chip, (unsigned)(i % count), got,
          want);
  }
}

static bool narrow(hipModule_t module, const char *kernel) {
  count = COUNT;
  void *arguments[] = {&from, &to, &singly, &count};
  return isa_run(module, kernel, 64, arguments);
}

static void check_narrowing(hipModule_t module, const char *kernel, const format *f, const char *chip) {
  const bool saturate = strstr(kernel, "saturate") && width(f) == 8, towards_zero = strstr(kernel, "zero");
  if (!narrow(module, kernel)) return;
  for (int i = 0; i < COUNT; ++i) {
    const float value = ((const float *)from)[i];
    const double want = narrowed(f, value, saturate, towards_zero);
    for (int single = 0; single < 2; ++single) {
      const void *codes = single ? singly : to;
      const uint32_t code = width(f) == 8 ? ((const uint8_t *)codes)[i] : ((const uint16_t *)codes)[i];
      CHECK(same(decode(f, code), want), "%s on %s: %a becomes %a, expected %a", kernel, chip, (double)value,
            decode(f, code), want);
    }
  }
}

static void check_integers(hipModule_t module, const char *chip) {
  if (narrow(module, "narrow_i8_saturate")) {
    for (int i = 0; i < COUNT; ++i) {
      const float value = ((const float *)from)[i];
      for (int single = 0; single < 2; ++single) {
        const int got = (single ? (const int8_t *)singly : (const int8_t *)to)[i];
        const bool right =
            isnan(value) ? got == -128 || got == 127 : got == rint(fmin(fmax((double)value, -128), 127));
        CHECK(right, "narrow_i8 on %s: %a becomes %d", chip, (double)value, got);
      }
    }
  }
  if (narrow(module, "narrow_i32_saturate")) {
    for (int i = 0; i < COUNT; ++i) {
      const float value = ((const float *)from)[i];
      if (!(fabsf(value) < 0x1p31f)) continue;  // not a case that from_f32 promises
      const double want = rint((double)value);
      CHECK(((const int32_t *)to)[i] == want && ((const int32_t *)singly)[i] == want,
            "narrow_i32 on %s: %a becomes %d, expected %g", chip, (double)value, ((const int32_t *)to)[i],
            want);
    }
  }
}

// Fills in every kind of number: all midpoints and neighbours of the 8-bit formats, f16 and bf16 codes and
// midpoints with a step to either side, specials, and random bits.
static void fill_edges(test_rng *rng) {
  float *values = from;
  int n = 0;
  const format *eight[] = {&e4m3[0], &e4m3[1], &e5m2[0], &e5m2[1]};
  for (int f = 0; f < 4; ++f) {
    for (uint32_t code = 0; code < 256; ++code) {
      const double value = decode(eight[f], code), next = decode(eight[f], code + 1 < 256 ? code + 1 : code);
      const float middle =
          (float)(isfinite(value) && isfinite(next) ? (value + next) / 2 : 2 * eight[f]->largest);
      values[n++] = (float)value;
      values[n++] = middle;
      values[n++] = nextafterf(middle, INFINITY);
      values[n++] = nextafterf(middle, -INFINITY);
    }
    for (int sign = -1; sign <= 1; sign += 2) {  // around the first number that overflows
      const double step = eight[f]->largest - nearest(eight[f], eight[f]->largest * 0.93, true);
      for (int i = -4; i <= 4; ++i) values[n++] = (float)(sign * (eight[f]->largest + step * i / 4));
    }
  }
  static const float specials[] = {
      0.0f,       -0.0f,    INFINITY, -INFINITY, NAN,       0x1p-149f, -0x1p-149f,    0x1p-126f,   0x1p-25f,
      0x1.8p-25f, 65504.0f, 65519.9f, 65520.0f,  -65520.0f, FLT_MAX,   -FLT_MAX,      0x1.fep127f, 127.5f,
      -128.5f,    126.5f,   0.5f,     1.5f,      2.5f,      -0.5f,     0x1.fffffep30f};
  for (size_t i = 0; i < sizeof specials / sizeof *specials; ++i) values[n++] = specials[i];
  while (n < COUNT) {
    const uint64_t random = test_random(rng);
    uint32_t bits = (uint32_t)random;
    if (random >> 62 == 0) bits = (bits & 0xffff0000u) | 0x8000u | (random >> 40 & 1);  // bf16 midpoints
    if (random >> 62 == 1)
      bits = (bits & 0x807fe000u) | 0x1000u | (uint32_t)(100 + random % 45) << 23;  // f16's
    if (random >> 62 == 2)
      bits = (bits & 0x807fffffu) | (uint32_t)(112 + random % 32) << 23;  // 2^-15 to 2^16
    memcpy(&values[n++], &bits, 4);
  }
}

// There are 32 numbers to a block, the first in the lowest bits; every code is a number.
static void check_mx(hipModule_t module, const char *kernel, const format *f) {
  if (!narrow(module, kernel)) return;
  for (int i = 0; i < COUNT; ++i) {
    const float value = ((const float *)from)[i];
    uint32_t code = 0;
    for (int bit = 0; bit < width(f); ++bit) {
      const size_t at = (size_t)i * (size_t)width(f) + (size_t)bit;
      code |= (((const uint32_t *)to)[at / 32] >> at % 32 & 1) << bit;
    }
    if (isnan(value)) continue;  // not a case that mx_from_f32 promises
    double want = nearest(f, (double)value / 4, false);
    if (isinf(want)) want = copysign(f->largest, want);
    CHECK(same(decode(f, code), want), "%s: %a becomes %a, expected %a", kernel, (double)value,
          decode(f, code), want);
    const double back = (double)((const float *)singly)[i];
    CHECK(same(back, 4 * decode(f, code)), "%s: code %x is %a, expected %a", kernel, code, back,
          4 * decode(f, code));
  }
}

// Checks all codes of 4-bit floats with every exponent of a number as scale, whose other bits are anything.
static void check_mx_to_bf16(hipModule_t module, test_rng *rng) {
  enum { EXPONENTS = 255, HALVES = 2, EACH = 8 };
  static const uint32_t codes[HALVES] = {0x76543210u, 0xfedcba98u};
  uint32_t *words = from;
  count = EXPONENTS * HALVES;
  for (int i = 0; i < count; ++i) {
    words[2 * i] = codes[i % HALVES];
    words[2 * i + 1] = (uint32_t)(i / HALVES) << 23 | ((uint32_t)test_random(rng) & 0x807fffffu);
  }
  void *arguments[] = {&from, &to, &count};
  if (!isa_run(module, "mx_to_bf16", 64, arguments)) return;
  for (int i = 0; i < EACH * count; ++i) {
    const int exponent = i / EACH / HALVES;
    const uint32_t code = codes[i / EACH % HALVES] >> 4 * (i % EACH) & 15;
    const double want = nearest(&brain, ldexp(decode(&e2m1, code), exponent - 127), false);
    const double got = decode(&brain, ((const uint16_t *)to)[i]);
    CHECK(same(got, want), "mx_to_bf16: code %x with exponent %d is %a, expected %a", code, exponent, got,
          want);
  }
}

static double ulps(float got, double want) {
  int power;
  frexp(want, &power);
  return fabs((double)got - want) / ldexp(1, (power < -125 ? -125 : power) - 24);
}

static void check_arithmetic(hipModule_t module, const char *chip, test_rng *rng) {
  float *x = from, *y = x + COUNT, *z = y + COUNT, *out = to;
  for (int i = 0; i < 3 * COUNT; ++i) {
    x[i] = (float)ldexp((double)(test_random(rng) >> 40) + 1, (int)(test_random(rng) % 30) - 44);
    if (i >= COUNT && test_random(rng) % 2) x[i] = -x[i];
  }
  count = COUNT;
  void *arguments[] = {&x, &y, &z, &out, &count};
  if (!isa_run(module, "arithmetic", 64, arguments)) return;
  static const char *const names[RESULTS] = {"exp2", "log2", "rcp",     "rsq",      "sqrt",  "sin",
                                             "cos",  "fma",  "fma low", "fma high", "ldexp", "rint",
                                             "max",  "min",  "max3",    "min3",     "med3"};
  for (int i = 0; i < COUNT; ++i) {
    const double a = (double)x[i], b = (double)y[i], c = (double)z[i], turns = fmod(a, 1) * 2 * acos(-1);
    const double most = fmax(fmax(a, b), c), least = fmin(fmin(a, b), c);
    const double wants[RESULTS] = {exp2(a),
                                   log2(a),
                                   1 / a,
                                   1 / sqrt(a),
                                   sqrt(a),
                                   sin(turns),
                                   cos(turns),
                                   (double)fmaf(x[i], y[i], z[i]),
                                   (double)fmaf(x[i], y[i], z[i]),
                                   (double)fmaf(y[i], z[i], x[i]),
                                   ldexp(a, i % 64 - 32),
                                   rint(a),
                                   fmax(a, b),
                                   fmin(a, b),
                                   most,
                                   least,
                                   a + b + c - most - least};
    for (int r = 0; r < RESULTS; ++r) {
      const float got = out[r * COUNT + i];
      double want = wants[r];
      if (r == 16) want = a != most && a != least ? a : b != most && b != least ? b : c;
      if ((r == 5 || r == 6) && a > 256) continue;  // outside the instruction's domain
      if (r == 0 && want > (double)FLT_MAX) want = INFINITY;
      const bool close = r == 5 || r == 6        ? fabs((double)got - want) < 1e-6
                         : r >= 5 || isinf(want) ? (double)got == want
                                                 : ulps(got, want) <= 1;
      CHECK(close, "%s on %s: of %a %a %a is %a, expected %a", names[r], chip, a, b, c, (double)got, want);
    }
  }
}

// Dot products of powers of two and their negatives, whose products and sums are exact. `bias` is the
// exponent bias of the format, and `fraction` its number of fraction bits.
static void check_dots(hipModule_t module, const char *kernel, int bias, int fraction, test_rng *rng) {
  enum { DOTS = 200 };
  unsigned short *x = from, *y = x + 2 * DOTS;
  float *out = to, value[4 * DOTS];
  for (int i = 0; i < 4 * DOTS; ++i) {
    const int exponent = (int)(test_random(rng) % 9) - 4, negative = (int)(test_random(rng) % 2);
    value[i] = (float)ldexp(negative ? -1 : 1, exponent);
    x[i] = (unsigned short)(negative << 15 | (exponent + bias) << fraction);
  }
  count = DOTS;
  void *arguments[] = {&x, &y, &out, &count};
  if (!isa_run(module, kernel, 64, arguments)) return;
  for (int i = 0; i < DOTS; ++i) {
    const float *a = value + 2 * i, *b = value + 2 * DOTS + 2 * i;
    const float want = (float)i + a[0] * b[0] + a[1] * b[1];
    CHECK(out[i] == want, "%s: %g %g times %g %g and %d is %g, expected %g", kernel, (double)a[0],
          (double)a[1], (double)b[0], (double)b[1], i, (double)out[i], (double)want);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(74);
  const char *chip = gfx950 ? "gfx950" : "gfx942";
  check_widening(module, "fp8e4m3", &e4m3[gfx950], 8, chip);
  check_widening(module, "fp8e5m2", &e5m2[gfx950], 8, chip);
  check_widening(module, "i8", NULL, 8, chip);
  check_widening(module, "f16", &half, 16, chip);
  check_widening(module, "bf16", &brain, 16, chip);
  fill_edges(&rng);
  check_narrowing(module, "narrow_f16_saturate", &half, chip);
  check_narrowing(module, "narrow_bf16_saturate", &brain, chip);
  check_narrowing(module, "narrow_towards_zero", &half, chip);
  check_narrowing(module, "narrow_fp8e4m3_saturate", &e4m3[gfx950], chip);
  check_narrowing(module, "narrow_fp8e4m3_nonfinite", &e4m3[gfx950], chip);
  check_narrowing(module, "narrow_fp8e5m2_saturate", &e5m2[gfx950], chip);
  check_narrowing(module, "narrow_fp8e5m2_nonfinite", &e5m2[gfx950], chip);
  check_integers(module, chip);
  if (gfx950) {
    check_mx(module, "mx_fp6e2m3", &e2m3);
    check_mx(module, "mx_fp6e3m2", &e3m2);
    check_mx(module, "mx_fp4e2m1", &e2m1);
    check_mx_to_bf16(module, &rng);
  }
  check_arithmetic(module, chip, &rng);
  check_dots(module, "dots_f16", 15, 10, &rng);
  if (gfx950) check_dots(module, "dots_bf16", 127, 7, &rng);
}

int main(int argc, char **argv) {
  from = isa_memory(3 * COUNT * 4), to = isa_memory(RESULTS * COUNT * 4), singly = isa_memory(COUNT * 4);
  return isa_main(argc, argv, check_device);
}
