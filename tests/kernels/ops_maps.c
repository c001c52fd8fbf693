// SPDX-License-Identifier: MIT
// Maps against C's functions in double precision: exact ones bit by bit, the others within the bounds that
// include/ops/functions.h states, plus the rounding to the tile's type.
#include "ops_host.h"

enum { FORMS = 4 };  // of a binary map: a tile, a number, a column vector, a row vector

typedef struct mapping {
  ops_type type;
  bool gfx950;
  double (*unary)(double);
  double (*binary)(double, double);
  double (*bound)(double x);  // relative error; NULL: exact but for one rounding
  double number;
  const ops_element *list;
  const unsigned char *first, *second, *out;
} mapping;

static const double ulp = 0x1p-23;  // of f32, at most
static double two_ulp(double x) { return (void)x, 2 * ulp; }
static double four_ulp(double x) { return (void)x, 4 * ulp; }
static double exp_bound(double x) { return ulp * (2 + fabs(x)); }

static double rsqrt(double x) { return 1 / sqrt(x); }
static double reciprocal(double x) { return 1 / x; }
static double neg(double x) { return -x; }
static double relu(double x) { return x > 0 ? x : 0; }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double silu(double x) { return x * sigmoid(x); }
static double gelu_exponent(double x) { return 1.5957691216057308 * (x + 0.044715 * x * x * x); }
static double gelu(double x) { return x * sigmoid(gelu_exponent(x)); }
// Below -20 ln 2 the relative error of a sigmoid is that of its exponential.
static double sigmoid_bound(double x) { return 4 * ulp + (x < 0 ? exp_bound(x) : 0); }
static double silu_bound(double x) { return sigmoid_bound(x) + ulp; }
static double gelu_bound(double x) { return 2 * sigmoid_bound(2 * gelu_exponent(x)) + ulp; }

static double add(double a, double b) { return a + b; }
static double sub(double a, double b) { return a - b; }
static double mul(double a, double b) { return a * b; }
static double quotient(double a, double b) { return a / b; }

static double element(const mapping *m, const unsigned char *from, int index) {
  return ops_decode(m->type, m->gfx950, from + index * ops_bytes[m->type]);
}

// The value as the tile's type holds it.
static double rounded(const mapping *m, double value) {
  unsigned char bits[4];
  const float narrow = (float)value;  // computed in f32
  ops_encode(m->type, m->gfx950, m->type == OPS_i32 ? value : (double)narrow, bits);
  return ops_decode(m->type, m->gfx950, bits);
}

static bool near(const mapping *m, double got, double want, double x) {
  if (!m->bound) return got == rounded(m, want);
  const double error = fabs(want) * m->bound(x) + (1 + fabs(x)) * 0x1p-126;  // denormals are flushed
  return got >= rounded(m, want - error) && got <= rounded(m, want + error);
}

static void check_unary(const char *name, void *context) {
  const mapping *m = context;
  for (int k = 0; k < OPS_MAP_SIZE; ++k) {
    const double x = element(m, m->first, k), want = m->unary(x), got = element(m, m->out, k);
    CHECK(near(m, got, want, x), "%s(%.9g) is %.9g, expected %.9g", name, x, got, want);
  }
}

static void check_binary(const char *name, void *context) {
  const mapping *m = context;
  for (int k = 0; k < OPS_MAP_SIZE; ++k) {
    const double others[FORMS] = {element(m, m->second, k), m->number, m->list[k].row + 1,
                                  m->list[k].column + 1};
    for (int form = 0; form < FORMS; ++form) {
      const double a = element(m, m->first, k), got = element(m, m->out, form * OPS_MAP_SIZE + k),
                   want = m->binary(a, others[form]);
      CHECK(near(m, got, want, a), "%s(%g, %g) is %.9g, expected %.9g, in form %d", name, a, others[form],
            got, want, form);
    }
  }
}

static unsigned char *first, *second, *out;
static ops_element list[OPS_ROWS * OPS_COLUMNS];

static void run_unary(hipModule_t module, const char *name, ops_type type, bool gfx950, double (*f)(double),
                      double (*bound)(double), double low, double high) {
  mapping m = {type, gfx950, .unary = f, .bound = bound, .first = first, .out = out};
  test_rng rng = {3};
  for (int k = 0; k < OPS_MAP_SIZE; ++k) {
    const double x = low + (high - low) * (double)(test_random(&rng) >> 11) * 0x1p-53;
    ops_encode(type, gfx950, k % 4 ? x : ldexp(x, -ops_between(&rng, 0, 12)), first + k * ops_bytes[type]);
  }
  void *arguments[] = {&first, &out};
  ops_each_schedule(module, name, arguments, out, OPS_MAP_SIZE * 4, check_unary, &m);
}

static void run_binary(hipModule_t module, const char *name, ops_type type, bool gfx950,
                       double (*f)(double, double)) {
  mapping m = {type,         gfx950,         .binary = f,      .number = -7,
               .list = list, .first = first, .second = second, .out = out};
  test_rng rng = {5};
  ops_elements(OPS_ct16, type, gfx950, OPS_MAP_ROWS, OPS_MAP_COLUMNS, list);
  for (int k = 0; k < OPS_MAP_SIZE; ++k) {
    ops_encode(type, gfx950, ops_between(&rng, -200, 200), first + k * ops_bytes[type]);
    ops_encode(type, gfx950, ops_between(&rng, 1, 200), second + k * ops_bytes[type]);
  }
  const float number_f32 = (float)m.number;
  const int number_i32 = (int)m.number;
  const void *number = type == OPS_i32 ? (const void *)&number_i32 : (const void *)&number_f32;
  void *arguments[] = {&first, &second, (void *)(uintptr_t)number, &out};
  ops_each_schedule(module, name, arguments, out, (size_t)(FORMS * OPS_MAP_SIZE * 4), check_binary, &m);
}

static void check_spread(const char *name, void *context) {
  const mapping *m = context;
  for (int k = 0; k < OPS_ROWS * OPS_COLUMNS; ++k) {
    const double x = element(m, m->first, k), got = element(m, m->out, k),
                 want = rounded(m, rounded(m, x + list[k].row) * list[k].column);
    CHECK(got == want, "%s: lane %d has %g at row %d, column %d, expected %g", name, list[k].lane, got,
          list[k].row, list[k].column, want);
  }
}

static void run_spread(hipModule_t module, const char *name, ops_layout layout, ops_type type, bool gfx950) {
  mapping m = {type, gfx950, .first = first, .out = out};
  test_rng rng = {6};
  ops_elements(layout, type, gfx950, OPS_ROWS, OPS_COLUMNS, list);
  for (int k = 0; k < OPS_ROWS * OPS_COLUMNS; ++k)
    ops_encode(type, gfx950, ops_between(&rng, -100, 100), first + k * ops_bytes[type]);
  void *arguments[] = {&first, &out};
  ops_each_schedule(module, name, arguments, out, (size_t)(OPS_ROWS * OPS_COLUMNS * 4), check_spread, &m);
}

static void check_others(const char *name, void *context) {
  const mapping *m = context;
  double sums[OPS_MAP_COLUMNS] = {0};
  for (int k = 0; k < OPS_MAP_SIZE; ++k) sums[list[k].column] += element(m, m->first, k);
  for (int k = 0; k < OPS_MAP_SIZE; ++k) {
    const double x = element(m, m->first, k), sum = 2 * sums[list[k].column];
    unsigned char bits[4];
    ops_encode(OPS_bf16, m->gfx950, x, bits);
    const double want[] = {3 * x + (sum > 0 ? sum : 0), ops_decode(OPS_bf16, m->gfx950, bits), 2.5, 0};
    for (int i = 0; i < 4; ++i) {
      const double got = element(m, m->out, i * OPS_MAP_SIZE + k);
      CHECK(got == want[i], "%s: result %d is %g, expected %g", name, i, got, want[i]);
    }
  }
}

static void run_others(hipModule_t module, bool gfx950) {
  mapping m = {OPS_f32, gfx950, .first = first, .out = out};
  test_rng rng = {8};
  ops_elements(OPS_ct16, OPS_f32, gfx950, OPS_MAP_ROWS, OPS_MAP_COLUMNS, list);
  for (int k = 0; k < OPS_MAP_SIZE; ++k)
    ops_encode(OPS_f32, gfx950, ops_between(&rng, -1000, 1000), first + k * 4);
  void *arguments[] = {&first, &out};
  ops_each_schedule(module, "map_others", arguments, out, (size_t)(4 * OPS_MAP_SIZE * 4), check_others, &m);
}

// Each function: its name, C's, its bound, and the arguments to try.
static const struct {
  const char *name;
  double (*f)(double), (*bound)(double), low, high;
} functions[] = {
    {"exp2", exp2, two_ulp, -20, 12},
    {"exp", exp, exp_bound, -14, 9},
    {"log2", log2, two_ulp, 2, 1000},
    {"log", log, four_ulp, 2, 1000},
    {"sqrt", sqrt, two_ulp, 0, 1000},
    {"rsqrt", rsqrt, two_ulp, 0.5, 1000},
    {"reciprocal", reciprocal, two_ulp, 0.5, 100},
    {"abs", fabs, NULL, -1000, 1000},
    {"neg", neg, NULL, -1000, 1000},
    {"relu", relu, NULL, -1000, 1000},
    {"sigmoid", sigmoid, sigmoid_bound, -30, 30},
    {"silu", silu, silu_bound, -30, 30},
    {"gelu", gelu, gelu_bound, -5, 8},
    {"tanh", tanh, four_ulp, -4, 4},
    // where results vanish, saturate or leave the range of f16
    {"exp2", exp2, two_ulp, -150, 127},
    {"exp", exp, exp_bound, -100, 88},
    {"sigmoid", sigmoid, sigmoid_bound, -200, 200},
    {"silu", silu, silu_bound, -1000, 1000},
    {"gelu", gelu, gelu_bound, -100, 100},
    {"tanh", tanh, four_ulp, -1000, 1000},
};

static void check_device(hipModule_t module, bool gfx950) {
  static const struct {
    ops_type type;
    const char *name;
  } types[] = {{OPS_f32, "f32"}, {OPS_f16, "f16"}, {OPS_bf16, "bf16"}, {OPS_i32, "i32"}};
  static const struct {
    const char *name;
    double (*f)(double, double);
  } binaries[] = {{"add", add}, {"sub", sub}, {"mul", mul}, {"max", fmax}, {"min", fmin}, {"div", quotient}};
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
    const bool integers = types[t].type == OPS_i32;
    char name[64];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
      if (integers && functions[i].bound) continue;  // i32 has the exact ones
      snprintf(name, sizeof name, "map_%s_%s", functions[i].name, types[t].name);
      run_unary(module, name, types[t].type, gfx950, functions[i].f, functions[i].bound, functions[i].low,
                functions[i].high);
    }
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; ++i) {
      if (integers && binaries[i].f == quotient) continue;
      snprintf(name, sizeof name, "map_%s_%s", binaries[i].name, types[t].name);
      run_binary(module, name, types[t].type, gfx950, binaries[i].f);
    }
  }
#define SPREAD(layout, type) \
  run_spread(module, "spread_" #type "_" #layout, OPS_##layout, OPS_##type, gfx950);
  OPS_LAYOUTS(SPREAD, f32)
  OPS_LAYOUTS(SPREAD, bf16)
  run_others(module, gfx950);
}

int main(int argc, char **argv) {
  first = isa_memory(OPS_ROWS * OPS_COLUMNS * 4);
  second = isa_memory(OPS_MAP_SIZE * 4);
  out = isa_memory(FORMS * OPS_ROWS * OPS_COLUMNS * 4);
  return isa_main(argc, argv, check_device);
}
