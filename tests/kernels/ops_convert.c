// SPDX-License-Identifier: MIT
// Conversions between element types: every code of 8-bit types, random and border numbers of the others. The
// layout is the same on both sides, so elements keep their places.
#include "ops_host.h"

typedef struct conversion {
  ops_type from, to;
  bool gfx950;
  const unsigned char *in, *out;
} conversion;

static void check(const char *name, void *context) {
  const conversion *c = context;
  for (int k = 0; k < OPS_MAP_SIZE; ++k) {
    const double x = ops_decode(c->from, c->gfx950, c->in + k * ops_bytes[c->from]);
    unsigned char bits[4];
    ops_encode(c->to, c->gfx950, c->from == c->to ? x : (double)(float)x, bits);  // through f32
    const double want = ops_decode(c->to, c->gfx950, bits),
                 got = ops_decode(c->to, c->gfx950, c->out + k * ops_bytes[c->to]);
    CHECK(got == want && (c->to == OPS_i32 || c->to == OPS_i8 || signbit(got) == signbit(want)),
          "%s(%.9g) is %.9g, expected %.9g", name, x, got, want);
  }
}

// A finite number of type `from` that type `to` can be asked for, as code k of a run of tests.
static void make(const conversion *c, int k, test_rng *rng, unsigned char *bits) {
  const double most[] = {[OPS_f32] = 1e30, [OPS_f16] = 65504,   [OPS_bf16] = 1e30,    [OPS_i32] = 2e9,
                         [OPS_i8] = 127,   [OPS_fp8e4m3] = 400, [OPS_fp8e5m2] = 57344};
  for (;;) {
    double value;
    if (ops_bytes[c->from] == 1) {
      memset(bits, k % 256, 1);
    } else if (c->from == OPS_i32) {
      const int number = (int)(uint32_t)test_random(rng) >> ops_between(rng, 0, 30);
      memcpy(bits, &number, 4);
    } else {
      // of any size; every other one halfway between numbers of fewer bits
      double significand = 1 + (double)(test_random(rng) >> 11) * 0x1p-53;
      if (k % 2) significand = ldexp(nearbyint(ldexp(significand, k % 13)), -(k % 13));
      ops_encode(c->from, c->gfx950, ldexp(k % 3 ? significand : -significand, ops_between(rng, -20, 18)),
                 bits);
    }
    value = ops_decode(c->from, c->gfx950, bits);
    // i32 is not asked for what it cannot hold, nor any type for infinity or NaN
    if (isfinite(value) && !(c->to == OPS_i32 && fabs(value) > most[OPS_i32]) &&
        !(c->to == OPS_f16 && fabs(value) > 1e6))
      return;
    ++k;
  }
}

static void check_kernel(hipModule_t module, const char *name, ops_type from, ops_type to, bool gfx950) {
  static unsigned char *in, *out;
  if (!in) in = isa_memory(OPS_MAP_SIZE * 4), out = isa_memory(OPS_MAP_SIZE * 4);
  const conversion c = {from, to, gfx950, in, out};
  test_rng rng = {13};
  for (int k = 0; k < OPS_MAP_SIZE; ++k) make(&c, k, &rng, in + k * ops_bytes[from]);
  void *arguments[] = {&in, &out};
  ops_each_schedule(module, name, arguments, out, OPS_MAP_SIZE * 4, check, (void *)(uintptr_t)&c);
}

static void check_device(hipModule_t module, bool gfx950) {
#define KERNEL(to, from) check_kernel(module, "convert_" #from "_" #to, OPS_##from, OPS_##to, gfx950);
  OPS_TYPE_PAIRS(KERNEL)
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
