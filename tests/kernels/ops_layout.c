// SPDX-License-Identifier: MIT
// Changes of layout and transpositions: the same matrix comes back, every element told apart by its bits.
#include "ops_host.h"

enum { SIZE = OPS_WIDE * OPS_WIDE };

typedef struct change {
  int rows, columns, bytes;
  ops_element from[SIZE], to[SIZE];
  bool transposed;
  const unsigned char *in, *out;
} change;

static void check(const char *name, void *context) {
  const change *c = context;
  static int place[SIZE];  // in `in`, of each element of the matrix
  for (int k = 0; k < c->rows * c->columns; ++k)
    place[c->from[k].row * c->columns + c->from[k].column] = c->from[k].index;
  for (int k = 0; k < c->rows * c->columns; ++k) {
    const ops_element *e = &c->to[k];
    const int row = c->transposed ? e->column : e->row, column = c->transposed ? e->row : e->column;
    CHECK(memcmp(c->out + k * c->bytes, c->in + place[row * c->columns + column] * c->bytes,
                 (size_t)c->bytes) == 0,
          "%s: lane %d lacks row %d, column %d", name, e->lane, row, column);
  }
}

static void check_kernel(hipModule_t module, const char *name, ops_layout from, ops_layout to, ops_type type,
                         bool transposed, bool gfx950) {
  static change c;
  static unsigned char *in, *out;
  if (!in) in = isa_memory(SIZE * 4), out = isa_memory(SIZE * 4);
  const int bytes = ops_bytes[type], rows = bytes == 1 ? OPS_WIDE : OPS_ROWS,
            columns = bytes == 1 ? OPS_WIDE : OPS_COLUMNS;
  test_rng rng = {11};
  c = (change){rows, columns, bytes, .transposed = transposed, .in = in, .out = out};
  ops_elements(from, type, gfx950, rows, columns, c.from);
  ops_elements(to, type, gfx950, transposed ? columns : rows, transposed ? rows : columns, c.to);
  for (int i = 0; i < rows * columns * bytes; ++i) in[i] = (unsigned char)test_random(&rng);
  void *arguments[] = {&in, &out};
  ops_each_schedule(module, name, arguments, out, (size_t)(rows * columns * bytes), check, &c);
}

static void check_device(hipModule_t module, bool gfx950) {
#define CHANGE(to, from, type) \
  check_kernel(module, "layout_" #type "_" #from "_" #to, OPS_##from, OPS_##to, OPS_##type, false, gfx950);
#define TURN(layout, type) \
  check_kernel(module, "transpose_" #type "_" #layout, OPS_##layout, OPS_##layout, OPS_##type, true, gfx950);
  OPS_WORD_LAYOUT_PAIRS(CHANGE, f32)
  OPS_HALF_LAYOUT_PAIRS(CHANGE, bf16)
  OPS_BYTE_LAYOUT_PAIRS(CHANGE, fp8e4m3)
  OPS_LAYOUTS(TURN, f32)
  OPS_LAYOUTS(TURN, bf16)
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
