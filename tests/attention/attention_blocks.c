// SPDX-License-Identifier: MIT
// Tests products with blocks of rows, in phases, against the definition in integers: exact, under every
// schedule.
#include "tests/kernels/ops/host.h"

enum { ROWS = 32, COLUMNS = 64, EXTRA = 5, MATRICES = 2, DEEP = 128 };

static int small(test_rng *rng) { return ops_between(rng, -1, 1); }

// Makes an array of small integers, in the type, and as they are.
static void *make(ops_type type, bool gfx950, int count, test_rng *rng, int *values) {
  unsigned char *memory = isa_memory((size_t)(count * ops_bytes[type]));
  for (int i = 0; i < count; ++i) {
    values[i] = small(rng);
    ops_encode(type, gfx950, values[i], memory + i * ops_bytes[type]);
  }
  return memory;
}

typedef struct blocks_case {
  ops_type type;
  bool gfx950;
  int b[MATRICES][ROWS * COLUMNS], own[MATRICES][ROWS * COLUMNS];
  int starts[2 * ROWS];  // of both matrices
  const float *made;
  const unsigned char *sum;
  const int *order;
} blocks_case;

static void check_blocks(const char *name, const blocks_case *c) {
  for (int m = 0; m < MATRICES; ++m) {
    static int made[ROWS][ROWS];
    for (int r = 0; r < ROWS; ++r)
      for (int o = 0; o < ROWS; ++o) {
        made[r][o] = c->starts[m * ROWS + r];
        for (int k = 0; k < COLUMNS; ++k) made[r][o] += c->b[m][r * COLUMNS + k] * c->own[m][o * COLUMNS + k];
        const float got = c->made[(m * ROWS + r) * ROWS + o];
        CHECK(got == (float)made[r][o], "%s: made %d [%d][%d] is %g, expected %d", name, m, r, o, (double)got,
              made[r][o]);
      }
    for (int o = 0; o < ROWS; ++o)
      for (int k = 0; k < COLUMNS; ++k) {
        int sum = 0;
        for (int r = 0; r < ROWS; ++r) sum += made[r][o] * c->b[m][r * COLUMNS + k];
        unsigned char want[4];
        ops_encode(c->type, c->gfx950, sum * 0.5, want);
        const int at = (m * ROWS + o) * COLUMNS + k;
        CHECK(memcmp(c->sum + at * ops_bytes[c->type], want, (size_t)ops_bytes[c->type]) == 0,
              "%s: sum %d [%d][%d] is %g, expected %g, rounded", name, m, o, k,
              ops_decode(c->type, c->gfx950, c->sum + at * ops_bytes[c->type]), sum * 0.5);
      }
  }
  for (int i = 0; i < EXTRA; ++i)
    CHECK(c->order[i] == i, "%s: micro-op %d came as number %d", name, i, c->order[i]);
}

static void test_blocks(hipModule_t module, const char *name, ops_type type, bool gfx950) {
  static blocks_case c;
  test_rng rng = {21};
  c.type = type, c.gfx950 = gfx950;
  void *b = make(type, gfx950, MATRICES * ROWS * COLUMNS, &rng, &c.b[0][0]);
  void *own = make(type, gfx950, MATRICES * ROWS * COLUMNS, &rng, &c.own[0][0]);
  float *starts = isa_memory(sizeof(float) * 2 * ROWS);
  for (int i = 0; i < 2 * ROWS; ++i) starts[i] = (float)(c.starts[i] = ops_between(&rng, -9, 9));
  const size_t made_bytes = sizeof(float) * MATRICES * ROWS * ROWS, sum_bytes = 2 * MATRICES * ROWS * COLUMNS;
  void *made = isa_memory(made_bytes), *sum = isa_memory(sum_bytes), *order = isa_memory(sizeof(int) * EXTRA);
  c.made = made, c.sum = sum, c.order = order;
  void *arguments[] = {&b, &own, &starts, &made, &sum, &order};
  for (int s = 0; s < OPS_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", ops_schedules[s], 1);
    memset(made, 0xff, made_bytes), memset(sum, 0xff, sum_bytes), memset(order, 0xff, sizeof(int) * EXTRA);
    if (isa_run(module, name, OPS_LANES, arguments)) check_blocks(name, &c);
  }
}

static void test_shared(hipModule_t module, const char *name, int n, ops_type type, bool gfx950) {
  static int a_values[DEEP * ROWS], b_values[DEEP * DEEP];
  test_rng rng = {22};
  void *a = make(type, gfx950, DEEP * ROWS, &rng, a_values),
       *b = make(type, gfx950, DEEP * n, &rng, b_values);
  const size_t bytes = sizeof(float) * (size_t)(ROWS * n);
  float *c = isa_memory(bytes);
  void *arguments[] = {&a, &b, &c};
  for (int s = 0; s < OPS_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", ops_schedules[s], 1);
    for (int i = 0; i < ROWS * n; ++i) c[i] = (float)i;  // is added to
    if (!isa_run(module, name, 4 * OPS_LANES, arguments)) continue;
    for (int i = 0; i < ROWS * n; ++i) {
      int want = i;
      for (int k = 0; k < DEEP; ++k) want += a_values[k * ROWS + i / n] * b_values[k * n + i % n];
      CHECK(c[i] == (float)want, "%s: C[%d][%d] is %g, expected %d", name, i / n, i % n, (double)c[i], want);
    }
  }
}

static void test_dots(hipModule_t module, bool gfx950) {
  static int x_values[OPS_LANES * 8], y_values[OPS_LANES * 8];
  test_rng rng = {23};
  void *x = make(OPS_f16, gfx950, OPS_LANES * 8, &rng, x_values);
  void *y = make(OPS_f16, gfx950, OPS_LANES * 8, &rng, y_values);
  float *out = isa_memory(sizeof(float) * OPS_LANES);
  void *arguments[] = {&x, &y, &out};
  if (!isa_run(module, "dots", OPS_LANES, arguments)) return;
  for (int lane = 0; lane < OPS_LANES; ++lane) {
    int want = 0;
    for (int i = 0; i < 8; ++i) want += x_values[lane * 8 + i] * y_values[lane * 8 + i];
    CHECK(out[lane] == (float)want, "dot %d is %g, expected %d", lane, (double)out[lane], want);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
#define KERNELS(type)                                             \
  test_blocks(module, "blocks_" #type, OPS_##type, gfx950);       \
  test_blocks(module, "pinned_" #type, OPS_##type, gfx950);       \
  test_shared(module, "shared64_" #type, 64, OPS_##type, gfx950); \
  test_shared(module, "shared128_" #type, 128, OPS_##type, gfx950);
  KERNELS(f16)
  KERNELS(bf16)
  test_dots(module, gfx950);
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
