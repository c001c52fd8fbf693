// SPDX-License-Identifier: MIT
// Tests reductions of tiles and vectors: of small integers, so that sums are exact in any order. Every
// element of the spread results is one lane's copy of one result.
#include "host.h"

enum { SIZE = OPS_ROWS * OPS_COLUMNS };

typedef struct reduction {
  bool gfx950, integers;
  ops_element list[SIZE];
  double rows[4][OPS_ROWS], columns[4][OPS_COLUMNS];  // as ops_reduced has them
  double numbers[OPS_REDUCED_NUMBERS];
  const unsigned char *out;
} reduction;

static double result(const reduction *r, int index) {
  return ops_decode(r->integers ? OPS_i32 : OPS_f32, r->gfx950, r->out + 4 * index);
}

static void check(const char *name, void *context) {
  const reduction *r = context;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < SIZE; ++k) {
      const ops_element *e = &r->list[k];
      const double row = result(r, (OPS_ROW_SUM + i) * SIZE + k),
                   column = result(r, (OPS_COL_SUM + i) * SIZE + k);
      CHECK(row == r->rows[i][e->row], "%s: lane %d has %g for row %d, result %d, expected %g", name, e->lane,
            row, e->row, i, r->rows[i][e->row]);
      CHECK(column == r->columns[i][e->column], "%s: lane %d has %g for column %d, result %d, expected %g",
            name, e->lane, column, e->column, i, r->columns[i][e->column]);
    }
  }
  for (int lane = 0; lane < OPS_LANES; ++lane) {
    for (int n = 0; n < OPS_REDUCED_NUMBERS; ++n) {
      const double got = result(r, OPS_REDUCED * SIZE + lane * OPS_REDUCED_NUMBERS + n);
      CHECK(got == r->numbers[n], "%s: lane %d has %g for number %d, expected %g", name, lane, got, n,
            r->numbers[n]);
    }
  }
}

static void reduce(double *sum, double *most, double *least, double value) {
  *sum += value;
  *most = fmax(*most, value);
  *least = fmin(*least, value);
}

static void check_kernel(hipModule_t module, const char *name, ops_layout layout, ops_type type,
                         bool gfx950) {
  static reduction r;
  static unsigned char *in, *out;
  const size_t bytes = (OPS_REDUCED * SIZE + OPS_LANES * OPS_REDUCED_NUMBERS) * 4;
  if (!in) in = isa_memory(SIZE * 4), out = isa_memory(bytes);
  test_rng rng = {7};
  r = (reduction){.gfx950 = gfx950, .integers = type == OPS_i32, .out = out};
  for (int i = 0; i < OPS_ROWS; ++i) r.rows[1][i] = -INFINITY, r.rows[2][i] = INFINITY;
  for (int j = 0; j < OPS_COLUMNS; ++j) r.columns[1][j] = -INFINITY, r.columns[2][j] = INFINITY;
  ops_elements(layout, type, gfx950, OPS_ROWS, OPS_COLUMNS, r.list);
  for (int k = 0; k < SIZE; ++k) {
    const ops_element *e = &r.list[k];
    const double value = ops_between(&rng, -100, 100);
    ops_encode(type, gfx950, value, in + k * ops_bytes[type]);
    reduce(&r.rows[0][e->row], &r.rows[1][e->row], &r.rows[2][e->row], value);
    reduce(&r.columns[0][e->column], &r.columns[1][e->column], &r.columns[2][e->column], value);
  }
  r.numbers[OPS_MAX] = -INFINITY, r.numbers[OPS_MIN] = INFINITY;
  for (int i = 0; i < OPS_ROWS; ++i) {
    r.rows[3][i] = r.rows[0][i] + r.rows[1][i];
    r.numbers[OPS_COL_VECTOR_SUM] += r.rows[1][i];
  }
  for (int j = 0; j < OPS_COLUMNS; ++j) {
    r.columns[3][j] = r.columns[0][j] + r.columns[1][j];
    reduce(&r.numbers[OPS_SUM], &r.numbers[OPS_MAX], &r.numbers[OPS_MIN], r.columns[1][j]);
  }
  void *arguments[] = {&in, &out};
  ops_each_schedule(module, name, arguments, out, bytes, check, &r);
}

static void check_device(hipModule_t module, bool gfx950) {
#define KERNEL(layout, type) \
  check_kernel(module, "reduce_" #type "_" #layout, OPS_##layout, OPS_##type, gfx950);
  OPS_OWN_LAYOUTS(KERNEL, f32)
  OPS_OWN_LAYOUTS(KERNEL, f16)
  OPS_OWN_LAYOUTS(KERNEL, bf16)
  OPS_OWN_LAYOUTS(KERNEL, i32)
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
