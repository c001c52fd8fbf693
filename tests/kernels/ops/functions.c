// SPDX-License-Identifier: MIT
// Tests sine, cosine, erf, pow and roundings against C's functions in double precision, within what their
// headers state: every value of f16 and bf16, and of f32 values of every exponent, neighbours of multiples of
// pi/2, halves, and special numbers.
#include "maps.h"

static double rounded_even(double x) { return nearbyint(x); }

// Describes each function: its name, C's, and its greatest error in units of the last place of f32 (0:
// exact).
typedef struct function {
  const char *name;
  double (*f)(double);
  double ulps;
} function;
static const function functions[] = {{"sin", sin, 2},          {"cos", cos, 2},   {"erf", erf, 2},
                                     {"floor", floor, 0},      {"ceil", ceil, 0}, {"trunc", trunc, 0},
                                     {"rint", rounded_even, 0}};
enum { POW_ULPS = 2, LAUNCHES = 32 };  // 32 launches of 2048 values: all of a 16-bit type

static ops_map *m;
static float number;
static const ops_layout layouts[] = {OPS_a16, OPS_ct16, OPS_c32};

// Returns the last place of an f32 near x.
static double last_place(double x) {
  int exponent;
  frexp(x, &exponent);
  return fabs(x) < 0x1p-126 ? 0x1p-149 : ldexp(1, exponent - 24);
}

// Returns whether `got` is what `want` may become by an error of `ulps` in f32 and the rounding to the tile's
// type.
static bool within(double got, double want, double ulps) {
  if (isnan(want)) return isnan(got);
  if (want == 0 && ulps == 0) return got == 0 && signbit(got) == signbit(want);
  if (isinf(want)) return got == want;
  const double error = ulps * last_place(want), narrow = m->type == OPS_f32 ? 0.0 : 1.0;
  if (narrow == 0 && isfinite(got)) return fabs(got - want) <= error;
  return got >= ops_rounded(m, want - error) && got <= ops_rounded(m, want + error);
}

static double bits_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return (double)value;
}

// Returns argument `i`, element `k` of this launch.
static double argument(test_rng *rng, int launch, int k) {
  if (m->type != OPS_f32) {
    const uint16_t bits = (uint16_t)(launch * OPS_SIZE + k);
    return ops_decode(m->type, m->gfx950, &bits);
  }
  if (launch == 0 && k < OPS_SPECIALS) return ops_special(m->type, m->gfx950, k);
  const int steps = ops_between(rng, -3, 3);
  switch (k % 4) {
    case 0: return bits_of((uint32_t)test_random(rng));  // any exponent, also NaN
    case 1: {                                            // near a zero of sin or cos
      const double quadrants = floor(ldexp((double)(test_random(rng) >> 11), -ops_between(rng, 20, 53)));
      float near = (float)(quadrants * 1.57079632679489662);
      for (int i = abs(steps); i > 0; --i) near = nextafterf(near, steps < 0 ? -INFINITY : INFINITY);
      return (double)near;
    }
    case 2: return (double)(float)(((double)(test_random(rng) >> 11) * 0x1p-53 - 0.5) * 16);
    default: return (double)(ops_between(rng, -70000, 70000) * 0.5f);  // halves
  }
}

static void check(const char *name, void *context) {
  const function *f = context;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const double x = ops_argument(m, 0, k), got = ops_result(m, 0, k), want = f->f(x);
    CHECK(within(got, want, f->ulps) && (x != 0 || f->f == cos || signbit(got) == signbit(x)),
          "%s(%a) is %a, expected %a within %g ulp of f32", name, x, got, want, f->ulps);
  }
}

// Both infinite and largest are right where double precision lies between: C's rounding decides by 1/2 ulp.
static void check_powers(const char *name, void *context) {
  (void)context;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const double exponents[OPS_FORMS] = {[OPS_WITH_TILE] = ops_argument(m, 1, k),
                                         [OPS_WITH_NUMBER] = (double)number,
                                         [OPS_WITH_COLUMN_VECTOR] = m->list[k].row + 1,
                                         [OPS_WITH_ROW_VECTOR] = m->list[k].column + 1};
    for (int form = 0; form < OPS_FORMS; ++form) {
      const double x = ops_argument(m, 0, k), got = ops_result(m, form, k), want = pow(x, exponents[form]);
      const double largest = 0x1.fffffep127;
      bool right = within(got, want, POW_ULPS);
      if (isfinite(want) && fabs(want) > largest * (1 - 0x1p-23) && isinf(got))
        right = signbit(got) == signbit(want);
      else if (isfinite(want) && fabs(want) > 2 * largest)
        right = isinf(got) && signbit(got) == signbit(want);
      CHECK(right && (isnan(want) || signbit(got) == signbit(want)),
            "%s(%a, %a) is %a, expected %a within %d ulp of f32, in form %d", name, x, exponents[form], got,
            want, POW_ULPS, form);
    }
  }
}

static void run(hipModule_t module, const char *kernel, void **arguments, size_t bytes,
                void (*check_one)(const char *, void *), void *context) {
  for (size_t l = 0; l < sizeof layouts / sizeof *layouts; ++l) {
    char name[64];
    snprintf(name, sizeof name, "map_%s_%s_%s", kernel, ops_type_names[m->type],
             ops_layout_names[layouts[l]]);
    ops_elements(layouts[l], m->type, m->gfx950, OPS_ROWS, OPS_COLUMNS, m->list);
    memset(m->out, 0xff, bytes);
    if (isa_run(module, name, OPS_LANES, arguments)) check_one(name, context);
  }
}

// Returns an exponent that leads x to a result of any size, or any number.
static double exponent_for(test_rng *rng, double x) {
  const double power = (double)(test_random(rng) >> 11) * 0x1p-53 * 300 - 150;
  const double exponent = power / log2(fabs(x));
  return test_random(rng) % 4 ? exponent : floor(exponent);
}

static void run_powers(hipModule_t module, test_rng *rng) {
  enum { POWER_LAUNCHES = 8 };
  for (int launch = 0; launch < POWER_LAUNCHES; ++launch) {
    for (int k = 0; k < OPS_SIZE; ++k) {
      const int place = launch * OPS_SIZE + k;
      double x, y;
      if (place < OPS_SPECIALS * OPS_SPECIALS) {
        x = ops_special(m->type, m->gfx950, place % OPS_SPECIALS);
        y = ops_special(m->type, m->gfx950, place / OPS_SPECIALS);
      } else if (k % 8 == 0) {  // small whole numbers and halves, of either sign
        x = ops_between(rng, -8, 8), y = ops_between(rng, -9, 9) * 0.5;
      } else {
        ops_set(m, 0, k, ops_random(rng, -(k % 40) - 1, k % 40 + 1));
        x = ops_argument(m, 0, k);
        if (k % 8 > 2) x = fabs(x);
        y = exponent_for(rng, x);
      }
      ops_set(m, 0, k, x);
      ops_set(m, 1, k, y);
    }
    number = launch % 2 ? 2.5f : -3.0f;
    void *arguments[] = {&m->in[0], &m->in[1], &number, &m->out};
    run(module, "pow", arguments, OPS_FORMS * OPS_SIZE * 4, check_powers, NULL);
  }
}

static void run_numbers(hipModule_t module, test_rng *rng) {
  float *in = (float *)(void *)m->in[0];
  const float *out = (const float *)(const void *)m->out;
  for (int lane = 0; lane < OPS_LANES; ++lane) in[lane] = (float)ops_random(rng, -4, 20);
  void *arguments[] = {&m->in[0], &m->out};
  if (!isa_run(module, "of_numbers", OPS_LANES, arguments)) return;
  for (int lane = 0; lane < OPS_LANES; ++lane) {
    const double x = (double)in[lane];
    const double want[] = {sin(x),   cos(x),  erf(x),   pow(x, 1.5),
                           floor(x), ceil(x), trunc(x), x < -1 ? -1.0 : x > 2 ? 2.0 : x};
    for (int i = 0; i < 8; ++i) {
      const double got = (double)out[lane * 8 + i];
      CHECK(within(got, want[i], i < 4 ? 2 : 0) || (i >= 4 && got == want[i]),
            "function %d of the number %a is %a, expected %a", i, x, got, want[i]);
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(11);
  m->gfx950 = gfx950;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    for (int launch = 0; launch < LAUNCHES; ++launch) {
      for (int k = 0; k < OPS_SIZE; ++k) ops_set(m, 0, k, argument(&rng, launch, k));
      void *arguments[] = {&m->in[0], &m->out};
      run(module, functions[i].name, arguments, OPS_SIZE * 4, check, (void *)(uintptr_t)&functions[i]);
    }
  }
  run_powers(module, &rng);
  if (m->type == OPS_f32) run_numbers(module, &rng);
}

int main(int argc, char **argv) {
  m = ops_new_map(ops_type_argument(&argc, &argv));
  return isa_main(argc, argv, check_device);
}
