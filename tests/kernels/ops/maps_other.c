// SPDX-License-Identifier: MIT
// Tests the other maps, bit by bit: broadcasts, fill, zero, copies between types, fma with its one rounding,
// maps whose arguments differ in type, maps of vectors.
#include "maps.h"

static ops_map *m;
static double number;  // as the kernel has it

static void check_spread(const char *name, void *context) {
  (void)context;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const double a = ops_argument(m, 0, k), row = m->list[k].row + 1, column = m->list[k].column + 1;
    // These are what vectors of the type that is computed in hold, and those of the tile's type.
    const double wide_row = m->type == OPS_i32 ? row * number : (double)(float)(row * number);
    const double wide_column = m->type == OPS_i32 ? column * number : (double)(float)(column * number);
    const double want[OPS_SPREADS] = {[OPS_BROADCAST_ROW] = row,
                                      [OPS_BROADCAST_COL] = column,
                                      [OPS_FILL] = number,
                                      [OPS_ZERO] = 0,
                                      [OPS_MIXED_ROW] = a + wide_row,
                                      [OPS_MIXED_COL] = a * wide_column,
                                      [OPS_COLUMN_VECTOR] = -row * number,
                                      [OPS_ROW_VECTOR] = fmax(2 * column, number)};
    for (int i = 0; i < OPS_SPREADS; ++i) {
      const double got = ops_result(m, i, k);
      CHECK(same(got, ops_rounded(m, want[i])),
            "%s: result %d in lane %d at row %d, column %d is %.9g, expected %.9g", name, i, m->list[k].lane,
            m->list[k].row, m->list[k].column, got, ops_rounded(m, want[i]));
    }
  }
}

static void check_fma(const char *name, void *context) {
  (void)context;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const float a = (float)ops_argument(m, 0, k), b = (float)ops_argument(m, 1, k),
                d = (float)ops_argument(m, 2, k);
    const float row = (float)(m->list[k].row + 1), column = (float)(m->list[k].column + 1);
    const float want[OPS_FMAS] = {[OPS_FMA_NUMBER] = fmaf(a, (float)number, column),
                                  [OPS_FMA_ROW] = fmaf(a, row, b),
                                  [OPS_FMA_TILES] = fmaf(a, b, d),
                                  [OPS_FMA_WIDE] = fmaf(a, b, d)};
    float wide;
    memcpy(&wide, m->out + OPS_FMA_WIDE * OPS_SIZE * ops_bytes[m->type] + k * 4, 4);
    for (int i = 0; i < OPS_FMAS; ++i) {
      const double got = i == OPS_FMA_WIDE ? (double)wide : ops_result(m, i, k),
                   right = i == OPS_FMA_WIDE ? (double)want[i] : ops_rounded(m, (double)want[i]);
      CHECK(same(got, right), "%s: result %d of %a, %a, %a in row %d, column %d is %a, expected %a", name, i,
            (double)a, (double)b, (double)d, m->list[k].row, m->list[k].column, got, right);
    }
  }
}

static void check_copy(const char *name, void *context) {
  const ops_type to = *(const ops_type *)context;
  for (int k = 0; k < OPS_SIZE; ++k) {
    unsigned char bits[4];
    ops_encode(to, m->gfx950, ops_argument(m, 0, k), bits);
    const double want = ops_decode(to, m->gfx950, bits),
                 got = ops_decode(to, m->gfx950, m->out + k * ops_bytes[to]);
    CHECK(same(got, want), "%s(%a) is %a, expected %a", name, ops_argument(m, 0, k), got, want);
  }
}

static void run_copies(hipModule_t module) {
  test_rng rng = {9};
  for (int k = 0; k < OPS_SIZE; ++k) {
    if (m->type == OPS_i32)
      ops_set(m, 0, k, (int)(uint32_t)test_random(&rng));  // all digits
    else
      ops_set(m, 0, k, k < OPS_SPECIALS ? ops_special(m->type, m->gfx950, k) : ops_random(&rng, -30, 20));
  }
  for (ops_type to = 0; to <= OPS_i32; ++to) {
    if ((m->type == OPS_i32) != (to == OPS_i32)) continue;
    for (ops_layout layout = 0; layout < OPS_LAYOUT_COUNT; ++layout) {
      char name[64];
      snprintf(name, sizeof name, "copy_%s_%s_%s", ops_type_names[m->type], ops_type_names[to],
               ops_layout_names[layout]);
      void *arguments[] = {&m->in[0], &m->out};
      ops_each_schedule(module, name, arguments, m->out, OPS_SIZE * 4, check_copy, &to);
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = {6};
  m->gfx950 = gfx950;
  // Products with it are exact, so that a compiler may join a mul and an add; f16 and bf16 do not have it.
  ops_number given = ops_number_of(m, m->type == OPS_i32 ? 262147 : -0x1.001p0);
  number = m->type == OPS_i32 ? given.i32 : (double)given.f32;
  for (int k = 0; k < OPS_SIZE; ++k) {
    if (m->type == OPS_i32) {
      ops_set(m, 0, k, ops_between(&rng, -100, 100));
      continue;
    }
    ops_set(m, 0, k, ops_random(&rng, -7, 9));
    ops_set(m, 1, k, ops_random(&rng, -7, 9));
    // Every other sum cancels but for what a product's own rounding would lose.
    const double product = ops_argument(m, 0, k) * ops_argument(m, 1, k);
    ops_set(m, 2, k, k % 2 ? -product : ops_random(&rng, -7, 9));
  }
  void *spread[] = {&m->in[0], &given, &m->out};
  ops_each_layout(m, module, "spread", spread, check_spread, NULL);
  if (m->type != OPS_i32) {
    void *fma[] = {&m->in[0], &m->in[1], &m->in[2], &given, &m->out};
    ops_each_layout(m, module, "fma", fma, check_fma, NULL);
  }
  run_copies(module);
}

int main(int argc, char **argv) {
  m = ops_new_map(ops_type_argument(&argc, &argv));
  return isa_main(argc, argv, check_device);
}
