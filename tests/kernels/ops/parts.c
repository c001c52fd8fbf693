// SPDX-License-Identifier: MIT
// Tests parts of tiles, and reductions in two steps: of small integers, so that sums are exact in any order.
#include "host.h"

typedef struct reduction {
  bool gfx950, integers;
  ops_element list[OPS_SIZE];
  double sum[OPS_ROWS], max[OPS_ROWS];
  const unsigned char *out;
} reduction;

static void check_two_steps(const char *name, void *context) {
  const reduction *r = context;
  const ops_type type = r->integers ? OPS_i32 : OPS_f32;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const ops_element *e = &r->list[k];
    const double sum = ops_decode(type, r->gfx950, r->out + 4 * k);
    const double max = ops_decode(type, r->gfx950, r->out + 4 * (OPS_SIZE + k));
    CHECK(sum == r->sum[e->row] && max == r->max[e->row],
          "%s: lane %d has the sum %g and the maximum %g for row %d, expected %g and %g", name, e->lane, sum,
          max, e->row, r->sum[e->row], r->max[e->row]);
  }
}

typedef struct copying {
  const unsigned char *out, *want;
  int bytes;
} copying;

static void check_parts(const char *name, void *context) {
  const copying *c = context;
  for (int k = 0; k < OPS_SIZE; ++k)
    CHECK(memcmp(c->out + k * c->bytes, c->want + k * c->bytes, (size_t)c->bytes) == 0,
          "%s: row %d, column %d", name, k / OPS_COLUMNS, k % OPS_COLUMNS);
}

static void check_kernels(hipModule_t module, const char *parts, const char *two_steps, ops_layout layout,
                          ops_type type, bool gfx950) {
  static reduction r;
  static unsigned char *in, *out, want[OPS_SIZE * 4];
  const size_t out_bytes = 2 * OPS_SIZE * 4;
  if (!in) in = isa_memory(OPS_SIZE * 4), out = isa_memory(out_bytes);
  test_rng rng = {11};
  r = (reduction){.gfx950 = gfx950, .integers = type == OPS_i32, .out = out};
  for (int i = 0; i < OPS_ROWS; ++i) r.max[i] = -INFINITY;
  ops_elements(layout, type, gfx950, OPS_ROWS, OPS_COLUMNS, r.list);
  const int bytes = ops_bytes[type];
  for (int k = 0; k < OPS_SIZE; ++k) {
    const ops_element *e = &r.list[k];
    const double value = ops_between(&rng, -100, 100);
    ops_encode(type, gfx950, value, in + k * bytes);
    memcpy(want + (e->row * OPS_COLUMNS + e->column) * bytes, in + k * bytes, (size_t)bytes);
    r.sum[e->row] += 2 * value;
    r.max[e->row] = fmax(r.max[e->row], value);
  }
  void *arguments[] = {&in, &out};
  ops_each_schedule(module, two_steps, arguments, out, out_bytes, check_two_steps, &r);
  copying c = {out, want, bytes};
  ops_each_schedule(module, parts, arguments, out, (size_t)(OPS_SIZE * bytes), check_parts, &c);
}

static void check_lane_pairs(const char *name, void *context) {
  const float *const *p = context;
  for (int bit = 0; bit < 6; ++bit)
    for (int lane = 0; lane < OPS_LANES; ++lane) {
      // What a lane passes on is its own number, or the larger of that and its floor: the floors are told.
      const int other = lane ^ 1 << bit;
      const float got = p[2][bit * OPS_LANES + lane], least = fmaxf(p[0][lane], p[0][other]);
      const float most = fmaxf(least, fmaxf(p[1][lane], p[1][other]));
      CHECK(got >= least && (got == least || got == p[1][lane] || got == p[1][other]) && got <= most,
            "%s: lane %d, bit %d has %g of %g and %g", name, lane, bit, (double)got, (double)p[0][lane],
            (double)p[0][other]);
    }
}

static void check_device(hipModule_t module, bool gfx950) {
#define KERNEL(layout, type)                                                                      \
  check_kernels(module, "parts_" #type "_" #layout, "two_steps_" #type "_" #layout, OPS_##layout, \
                OPS_##type, gfx950);
  OPS_OWN_LAYOUTS(KERNEL, f32)
  OPS_OWN_LAYOUTS(KERNEL, f16)
  OPS_OWN_LAYOUTS(KERNEL, bf16)
  OPS_OWN_LAYOUTS(KERNEL, i32)
  float *in = isa_memory(OPS_LANES * 4), *floors = isa_memory(OPS_LANES * 4),
        *out = isa_memory(OPS_LANES * 24);
  test_rng rng = {3};
  for (int pass = 0; pass < 2; ++pass) {
    for (int lane = 0; lane < OPS_LANES; ++lane) {
      in[lane] = (float)ops_between(&rng, -1000, 1000);
      floors[lane] = pass ? (float)ops_between(&rng, -1000, 1000) : -2000;
    }
    const float *all[] = {in, floors, out};
    void *arguments[] = {&in, &floors, &out};
    ops_each_schedule(module, "lane_pairs", arguments, out, OPS_LANES * 24, check_lane_pairs, all);
  }
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
