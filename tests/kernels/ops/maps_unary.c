// SPDX-License-Identifier: MIT
// Tests maps of one tile against C's functions in double precision: exact ones bit by bit, the others within
// the bounds that include/ops/functions.h states, plus the rounding to the tile's type. Infinities, NaN,
// zeros and denormals come first.
#include "maps.h"

static const double ulp = 0x1p-23;  // of f32, at most
static double two_ulp(double x) { return (void)x, 2 * ulp; }
static double four_ulp(double x) { return (void)x, 4 * ulp; }
static double exp_bound(double x) { return ulp * (2 + fabs(x)); }

// The transcendental instructions take denormals for zeros (CDNA4 ISA, V_LOG_F32 and its neighbours).
static double flushed(double x) { return fabs(x) < 0x1p-126 ? copysign(0, x) : x; }
static double flushed_log2(double x) { return log2(flushed(x)); }
static double flushed_log(double x) { return log(flushed(x)); }
static double flushed_sqrt(double x) { return sqrt(flushed(x)); }
static double rsqrt(double x) { return 1 / sqrt(flushed(x)); }
static double reciprocal(double x) { return 1 / flushed(x); }
static double neg(double x) { return -x; }
static double relu(double x) { return x > 0 ? x : 0; }  // 0 of NaN
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double silu(double x) { return x * sigmoid(x); }
static double gelu_exponent(double x) { return 1.5957691216057308 * (x + 0.044715 * x * x * x); }
static double gelu(double x) { return x * sigmoid(gelu_exponent(x)); }
// Below -20 ln 2 the relative error of a sigmoid is that of its exponential.
static double sigmoid_bound(double x) { return 4 * ulp + (x < 0 ? exp_bound(x) : 0); }
static double silu_bound(double x) { return sigmoid_bound(x) + ulp; }
static double gelu_bound(double x) { return 2 * sigmoid_bound(2 * gelu_exponent(x)) + ulp; }

// Describes each function: its name, C's, its relative error (NULL: exact), and the arguments to try.
typedef struct function {
  const char *name;
  double (*f)(double), (*bound)(double), low, high;
} function;
static const function functions[] = {
    {"abs", fabs, NULL, -1000, 1000},
    {"neg", neg, NULL, -1000, 1000},
    {"relu", relu, NULL, -1000, 1000},
    {"exp2", exp2, two_ulp, -20, 12},
    {"exp", exp, exp_bound, -14, 9},
    {"log2", flushed_log2, two_ulp, 2, 1000},
    {"log", flushed_log, four_ulp, 2, 1000},
    {"sqrt", flushed_sqrt, two_ulp, 0, 1000},
    {"rsqrt", rsqrt, two_ulp, 0.5, 1000},
    {"reciprocal", reciprocal, two_ulp, 0.5, 100},
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

static ops_map *m;

// Each element's argument, and the least and the greatest result that is right: of exact functions the same.
static double arguments[OPS_SIZE], least[OPS_SIZE], most[OPS_SIZE];

static void expect(const function *f) {
  test_rng rng = {3};
  for (int k = 0; k < OPS_SIZE; ++k) {
    const double x = f->low + (f->high - f->low) * (double)(test_random(&rng) >> 11) * 0x1p-53;
    ops_set(m, 0, k, k % 4 ? x : ldexp(x, -ops_between(&rng, 0, 12)));
    if (m->type != OPS_i32 && k < OPS_SPECIALS) ops_set(m, 0, k, ops_special(m->type, m->gfx950, k));
    arguments[k] = ops_argument(m, 0, k);
    const double want = f->f(arguments[k]);
    double error = 0;
    if (f->bound && isfinite(want) && isfinite(arguments[k]))  // denormal results may be flushed
      error = fabs(want) * f->bound(arguments[k]) + (1 + fabs(arguments[k])) * 0x1p-126;
    least[k] = ops_rounded(m, want - error), most[k] = ops_rounded(m, want + error);
  }
}

static void check(const char *name, void *context) {
  const function *f = context;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const double got = ops_result(m, 0, k);
    // abs and neg determine the sign of a zero; the other maps may return either.
    const bool right = isnan(least[k])               ? isnan(got)
                       : f->f == fabs || f->f == neg ? same(got, least[k])
                                                     : got >= least[k] && got <= most[k];
    CHECK(right, "%s(%.9g) is %.9g, expected %.9g to %.9g", name, arguments[k], got, least[k], most[k]);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  m->gfx950 = gfx950;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    if (m->type == OPS_i32 && functions[i].bound) continue;  // i32 has the exact ones
    char kernel[32];
    snprintf(kernel, sizeof kernel, "map_%s", functions[i].name);
    void *pointers[] = {&m->in[0], &m->out};
    expect(&functions[i]);
    ops_each_layout(m, module, kernel, pointers, check, (void *)(uintptr_t)&functions[i]);
  }
}

int main(int argc, char **argv) {
  m = ops_new_map(ops_type_argument(&argc, &argv));
  return isa_main(argc, argv, check_device);
}
