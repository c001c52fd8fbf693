// SPDX-License-Identifier: MIT
// Tests conversions of one element type to each, against the definitions of the formats: through f32, with
// one rounding to nearest even. The arguments are infinities, NaN, zeros, denormals, numbers halfway between
// two of the other type, just off halfway, around and beyond its largest, and random bits. The layout is the
// same on both sides, so elements keep their places.
#include <float.h>

#include "host.h"

enum {
  FRAGMENTS = OPS_CONVERT_TALL * OPS_CONVERT_WIDE,
  MOST = FRAGMENTS * OPS_LANES * 32  // elements of a lane in the deepest operand
};

typedef struct conversion {
  ops_type from, to;
  bool gfx950, saturate;
  int count;
  unsigned char *in, *out;
  double arguments[MOST], want[MOST];
} conversion;

static bool fp8(ops_type type) { return type == OPS_fp8e4m3 || type == OPS_fp8e5m2; }

// Returns the number halfway between two numbers of the type that are next to each other.
static double halfway(const conversion *c, int k, test_rng *rng) {
  const int sign = test_random(rng) % 2 ? 1 : -1;
  switch (c->to) {
    case OPS_f32:
      return sign * ldexp(2 * ops_between(rng, 1 << 23, (1 << 24) - 1) + 1, ops_between(rng, -20, 6));
    case OPS_i32: return sign * (ops_between(rng, 0, 1 << 22) + 0.5);
    case OPS_i8: return sign * (ops_between(rng, 0, 140) + 0.5);
    default: {
      const format *f = ops_format(c->to, c->gfx950);
      const uint32_t code = fp8(c->to) ? (uint32_t)k : (uint32_t)test_random(rng);
      const uint32_t magnitude = code & ((1u << (width(f) - 1)) - 2);
      const double low = decode(f, magnitude), high = decode(f, magnitude + 1);
      return isfinite(low) && isfinite(high) ? sign * (low + high) / 2 : sign * f->largest;
    }
  }
}

// Finds the type's largest number, and a quarter of the step to it.
static void limit(const conversion *c, double *largest, double *quarter) {
  switch (c->to) {
    case OPS_f32: *largest = (double)FLT_MAX, *quarter = 0x1p102; return;
    case OPS_i32: *largest = 0x1.fffffep30, *quarter = 64; return;  // of f32, below 2^31
    case OPS_i8: *largest = 127, *quarter = 0.25; return;
    default: {
      const format *f = ops_format(c->to, c->gfx950);
      *largest = f->largest, *quarter = ldexp(1, (int)floor(log2(f->largest)) - f->mantissa - 2);
    }
  }
}

// Makes the bits of the k-th argument.
static void make(const conversion *c, int k, test_rng *rng, unsigned char *bits) {
  const bool floating = c->from != OPS_i32 && c->from != OPS_i8;
  const size_t bytes = (size_t)ops_bytes[c->from];
  double largest, quarter, value;
  if (floating && k < OPS_SPECIALS) {
    ops_encode(c->from, c->gfx950, ops_special(c->from, c->gfx950, k), bits);
    return;
  }
  switch (k % 4) {
    case 0: {  // any bits; of 8-bit types all; of wide floats some NaN, which may be signalling
      uint32_t any = bytes == 1 ? (uint32_t)(k / 4) : (uint32_t)test_random(rng);
      if (k % 64 == 0 && bytes > 1)
        any |= c->from == OPS_f16 ? 0x7c00 : c->from == OPS_bf16 ? 0x7f80 : 0x7f800000;
      if (c->from == OPS_i32) any = (uint32_t)((int32_t)any >> ops_between(rng, 0, 30));
      memcpy(bits, &any, bytes);
      return;
    }
    case 1: value = halfway(c, k / 4, rng); break;
    case 2: value = (double)nextafterf((float)halfway(c, k / 4, rng), k % 8 == 2 ? INFINITY : 0); break;
    default:
      limit(c, &largest, &quarter);
      value = (k % 8 == 3 ? 1 : -1) * (largest + quarter * ops_between(rng, -8, 8));
  }
  if (c->from == OPS_i32) value = fmin(fmax(value, -0x1p31), 0x1p31 - 1);
  ops_encode(c->from, c->gfx950, value, bits);
}

// Returns what becomes of x.
static double converted(const conversion *c, double x) {
  const float single = (float)x;
  switch (c->to) {
    case OPS_f32: return (double)single;
    case OPS_i32: return nearbyint((double)single) + 0.0;  // no -0
    case OPS_i8: return isnan(x) ? NAN : nearbyint(fmin(fmax((double)single, -128), 127)) + 0.0;
    default: return narrowed(ops_format(c->to, c->gfx950), single, fp8(c->to) && c->saturate, false);
  }
}

static void expect(conversion *c) {
  test_rng rng = {13};
  const int bytes = ops_bytes[c->from];
  for (int k = 0; k < MOST; ++k) {
    unsigned char *bits = c->in + k * bytes;
    make(c, k, &rng, bits);
    double x = ops_decode(c->from, c->gfx950, bits);
    if (c->to == OPS_i32 && c->from != OPS_i32 && !(x >= -0x1p31 && x < 0x1p31)) {  // that is not promised
      ops_encode(c->from, c->gfx950, k % 200 - 100 + 0.5, bits);
      x = ops_decode(c->from, c->gfx950, bits);
    }
    c->arguments[k] = x, c->want[k] = converted(c, x);
  }
}

static void check(const char *name, void *context) {
  const conversion *c = context;
  const int bytes = ops_bytes[c->to];
  for (int k = 0; k < c->count; ++k) {
    const double got = ops_decode(c->to, c->gfx950, c->out + k * bytes);
    bool right = same(got, c->want[k]);
    if (c->from == c->to) right = memcmp(c->out + k * bytes, c->in + k * bytes, (size_t)bytes) == 0;
    if (c->to == OPS_i8 && isnan(c->want[k])) right = got == -128 || got == 127;
    CHECK(right, "%s(%a) is %a, expected %a", name, c->arguments[k], got, c->want[k]);
  }
}

static conversion c;

// Compares in the layouts of accumulators, and of operands as `natural` has them.
static void run(hipModule_t module, bool of_result) {
  const ops_type natural = of_result ? c.to : c.from;
  for (ops_layout layout = 0; layout < OPS_LAYOUT_COUNT; ++layout) {
    if (of_result && layout >= OPS_c16) continue;
    char name[96];
    int row, column;
    snprintf(name, sizeof name, "convert_%s_%s_%s_%s_of_%s", ops_type_names[c.from], ops_type_names[c.to],
             c.saturate ? "saturate" : "nonfinite", ops_layout_names[layout],
             of_result ? "result" : "source");
    c.count = FRAGMENTS * OPS_LANES *
              ops_place(layout, ops_bytes[natural], fp8(natural), c.gfx950, 0, 0, &row, &column).elements;
    void *arguments[] = {&c.in, &c.out};
    ops_each_schedule(module, name, arguments, c.out, MOST * 4, check, &c);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  c.gfx950 = gfx950;
  for (c.to = 0; c.to < OPS_TYPE_COUNT; ++c.to) {
    for (int mode = 0; mode < (fp8(c.to) ? 2 : 1); ++mode) {
      c.saturate = mode == 0;
      expect(&c);
      run(module, false);
      run(module, true);
    }
  }
}

int main(int argc, char **argv) {
  c.from = ops_type_argument(&argc, &argv);
  c.in = isa_memory(MOST * 4), c.out = isa_memory(MOST * 4);
  return isa_main(argc, argv, check_device);
}
