// SPDX-License-Identifier: MIT
// Tests changes of layout and transpositions, from each layout to each: the same matrix comes back, every
// element told apart by its bits.
#include "host.h"

enum { MOST = 128 * 128 };

typedef struct change {
  ops_type type;
  bool transposed;
  int rows, columns;
  ops_element from[MOST], to[MOST];
  unsigned char *in, *out;
} change;

static void check(const char *name, void *context) {
  const change *c = context;
  static int place[MOST];  // in `in`, of each element of the matrix
  const int bytes = ops_bytes[c->type], size = c->rows * c->columns;
  for (int k = 0; k < size; ++k) place[c->from[k].row * c->columns + c->from[k].column] = c->from[k].index;
  for (int k = 0; k < size; ++k) {
    const ops_element *e = &c->to[k];
    const int row = c->transposed ? e->column : e->row, column = c->transposed ? e->row : e->column;
    CHECK(memcmp(c->out + k * bytes, c->in + place[row * c->columns + column] * bytes, (size_t)bytes) == 0,
          "%s: lane %d lacks row %d, column %d", name, e->lane, row, column);
  }
}

static change c;

static void check_device(hipModule_t module, bool gfx950) {
  const bool fp8 = c.type == OPS_fp8e4m3 || c.type == OPS_fp8e5m2;
  const int bytes = ops_bytes[c.type];
  int row, column;
  const ops_fragment operand = ops_place(OPS_a16, bytes, fp8, gfx950, 0, 0, &row, &column);
  c.rows = bytes == 1 ? operand.columns : OPS_ROWS, c.columns = bytes == 1 ? operand.columns : OPS_COLUMNS;
  const int size = c.rows * c.columns * bytes;
  test_rng rng = {11};
  for (int i = 0; i < size; ++i) c.in[i] = (unsigned char)test_random(&rng);
  for (int kind = 0; kind < 2; ++kind) {
    c.transposed = kind == 1;
    for (ops_layout from = 0; from < OPS_LAYOUT_COUNT; ++from) {
      ops_elements(from, c.type, gfx950, c.rows, c.columns, c.from);
      for (ops_layout to = 0; to < OPS_LAYOUT_COUNT; ++to) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s_%s_%s", c.transposed ? "transpose" : "layout",
                 ops_type_names[c.type], ops_layout_names[from], ops_layout_names[to]);
        ops_elements(to, c.type, gfx950, c.transposed ? c.columns : c.rows, c.transposed ? c.rows : c.columns,
                     c.to);
        void *arguments[] = {&c.in, &c.out};
        ops_each_schedule(module, name, arguments, c.out, (size_t)size, check, &c);
      }
    }
  }
}

int main(int argc, char **argv) {
  c.type = ops_type_argument(&argc, &argv);
  c.in = isa_memory(MOST * 4), c.out = isa_memory(MOST * 4);
  return isa_main(argc, argv, check_device);
}
