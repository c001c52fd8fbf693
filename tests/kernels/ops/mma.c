// SPDX-License-Identifier: MIT
// Products of register tiles against integer sums: small whole numbers, so every type is exact.
#include "host.h"

enum { MOST = OPS_MMA_N * 256, SUMS = OPS_MMA_M * OPS_MMA_N };

typedef struct product {
  const ops_element *list;
  const int *want;  // by row and column
  const void *out;
  ops_type sum;
  bool gfx950;
} product;

static void check(const char *name, void *context) {
  const product *p = context;
  for (int i = 0; i < SUMS; ++i) {
    const ops_element *e = &p->list[i];
    const double got = ops_decode(p->sum, p->gfx950, (const char *)p->out + 4 * i);
    const int want = p->want[e->row * OPS_MMA_N + e->column];
    CHECK(got == want, "%s: row %d, column %d is %g, expected %d", name, e->row, e->column, got, want);
  }
}

// Fills a tile with whole numbers from -3 to 3 and keeps them by row and column.
static void fill(ops_layout layout, ops_type type, bool gfx950, int rows, int columns, test_rng *rng,
                 void *memory, int *values) {
  static ops_element list[MOST];
  ops_elements(layout, type, gfx950, rows, columns, list);
  for (int i = 0; i < rows * columns; ++i) {
    const int value = ops_between(rng, -3, 3);
    ops_encode(type, gfx950, value, (char *)memory + i * ops_bytes[type]);
    values[list[i].row * columns + list[i].column] = value;
  }
}

static void check_kernel(hipModule_t module, const char *name, ops_type type_a, ops_type type_b, int rows,
                         int at, int bt, int how, bool gfx950) {
  static void *in_a, *in_b, *in_c, *out;
  static int a[MOST], b[MOST], c[SUMS], want[SUMS];
  static ops_element list[SUMS];
  static test_rng rng;
  if (!in_a) {
    in_a = isa_memory(MOST * 4), in_b = isa_memory(MOST * 4), in_c = isa_memory(SUMS * 4),
    out = isa_memory(SUMS * 4);
    rng = test_seed(41);
  }
  const bool pinned = how >= OPS_C_PINNED;
  const int depth = ops_mma_depth(ops_bytes[type_a]), k = how == OPS_BY_NUMBER ? depth / 2 : depth;
  const int m = OPS_MMA_M, n = OPS_MMA_N;
  const ops_layout operand = rows == 16 ? OPS_a16 : OPS_a32, accumulator = rows == 16 ? OPS_c16 : OPS_c32;
  const ops_type sum = type_a == OPS_i8 ? OPS_i32 : OPS_f32;
  const ops_layout held = accumulator + (how != OPS_AS_C);
  fill(operand + at, type_a, gfx950, at ? k : m, at ? m : k, &rng, in_a, a);
  fill(operand + !bt, type_b, gfx950, bt ? n : k, bt ? k : n, &rng, in_b, b);
  fill(held, sum, gfx950, m, n, &rng, in_c, c);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      want[i * n + j] = pinned ? 0 : c[i * n + j];
      for (int l = 0; l < k; ++l)
        want[i * n + j] += a[at ? l * m + i : i * k + l] * b[bt ? j * k + l : l * n + j];
    }
  ops_elements(held, sum, gfx950, m, n, list);
  product p = {list, want, out, sum, gfx950};
  void *arguments[] = {&in_a, &in_b, &in_c, &out};
  ops_each_schedule(module, name, arguments, out, SUMS * 4, check, &p);
}

static void check_device(hipModule_t module, bool gfx950) {
  enum { as_c = OPS_AS_C, as_ct, c_pinned = OPS_C_PINNED, all_pinned, by_number = OPS_BY_NUMBER };
#define KERNEL(name, A, B, rows, product, at, bt, how) \
  check_kernel(module, #name "_" #A "_" #B "_" #rows, OPS_##A, OPS_##B, rows, at, bt, how, gfx950);
#define PAIR(A, B) OPS_MMA(KERNEL, A, B, 16) OPS_MMA(KERNEL, A, B, 32)
  OPS_MMA_PAIRS(PAIR)
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
