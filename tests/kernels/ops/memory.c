// SPDX-License-Identifier: MIT
// Loads and stores tiles of matrices of any shape, stride and alignment: every byte of the destination is
// compared, so that nothing outside is written, and the matrices end where their memory ends.
#include "host.h"

typedef struct matrix {  // wt::gl
  void *data;
  long long row_stride, column_stride;
  int rows, columns;
} matrix;

typedef struct shape {
  int rows, columns, row_gap, column_stride, offset, row, column;  // offset in elements
  bool by_columns;
} shape;

static const shape shapes[] = {
    {64, 512, 0, 1, 0, 0, 0, false},     // all inside, aligned
    {64, 512, 16, 1, 0, 16, 32, false},  // from within
    {20, 48, 0, 1, 0, 10, 16, false},    // ends on a multiple of the runs, below and to the right
    {20, 45, 3, 1, 0, 10, 16, false},    // cuts a run
    {40, 512, 0, 1, 1, 3, 8, false},     // unaligned
    {40, 511, 0, 1, 0, 0, 0, false},     // aligned in some rows only
    {17, 70, 5, 1, 0, 16, 69, false},    // a single element
    {17, 33, 2, 3, 1, 5, 2, false},      // elements apart from each other
    {40, 90, 7, 1, 0, 1, 3, true},       // stored by columns
    {16, 32, 0, 1, 0, 16, 0, false},     // starts below the end
    {16, 32, 0, 1, 0, 0, 48, false},     // starts right of the end
};

typedef struct copying {
  const shape *shape;
  matrix from, to;
  int tile_rows, tile_columns, bytes, elements;
  size_t size;  // bytes of a matrix with its offset
  unsigned char *in, *out, *want;
  const ops_element *list;
} copying;

static size_t at(const copying *c, int row, int column) {
  return (size_t)((c->shape->offset + row * c->from.row_stride + column * c->from.column_stride) * c->bytes);
}

static bool inside(const shape *s, int row, int column) {
  return row + s->row < s->rows && column + s->column < s->columns;
}

static void check_copy(const char *name, void *context) {
  const copying *c = context;
  CHECK(memcmp(c->out, c->want, c->size) == 0,
        "%s: %d x %d from (%d, %d), gap %d, column stride %d, offset %d", name, c->shape->rows,
        c->shape->columns, c->shape->row, c->shape->column, c->shape->row_gap, c->shape->column_stride,
        c->shape->offset);
}

static void check_load(const char *name, void *context) {
  static const unsigned char zero[4];
  const copying *c = context;
  for (int k = 0; k < c->elements; ++k) {
    const ops_element *e = &c->list[k];
    const unsigned char *want = inside(c->shape, e->row, e->column)
                                    ? c->in + at(c, e->row + c->shape->row, e->column + c->shape->column)
                                    : zero;
    CHECK(memcmp(c->out + k * c->bytes, want, (size_t)c->bytes) == 0,
          "%s: row %d, column %d of a %d x %d matrix from (%d, %d)", name, e->row, e->column, c->shape->rows,
          c->shape->columns, c->shape->row, c->shape->column);
  }
}

static void check_kernel(hipModule_t module, const char *copy, const char *load, ops_layout layout,
                         ops_type type, bool gfx950) {
  static ops_element list[64 * 512];
  copying c = {.bytes = ops_bytes[type], .list = list};
  int row, column;
  const ops_fragment f = ops_place(layout, c.bytes, type == OPS_fp8e4m3, gfx950, 0, 0, &row, &column);
  c.tile_rows = f.rows, c.tile_columns = f.columns * OPS_MEMORY_WIDE(c.bytes);
  c.elements = c.tile_rows * c.tile_columns;
  ops_elements(layout, type, gfx950, c.tile_rows, c.tile_columns, list);
  test_rng rng = {17};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    const shape *s = c.shape = &shapes[i];
    const long long minor = s->column_stride,
                    major = (s->by_columns ? s->rows : s->columns) * minor + s->row_gap;
    c.from =
        (matrix){NULL, s->by_columns ? minor : major, s->by_columns ? major : minor, s->rows, s->columns};
    c.size = at(&c, s->rows - 1, s->columns - 1) + (size_t)c.bytes;
    void *memory[3];  // of its own: reading past the end is seen
    for (int m = 0; m < 3; ++m)
      isa_ok(hipHostMalloc(&memory[m], m < 2 ? c.size : c.size + 64 * 512 * 4, 0), "memory");
    c.in = memory[0], c.want = memory[1], c.out = memory[2];
    for (size_t b = 0; b < c.size; ++b) c.in[b] = (unsigned char)test_random(&rng);
    memset(c.want, 0xff, c.size);
    for (int k = 0; k < c.elements; ++k) {
      if (!inside(s, list[k].row, list[k].column)) continue;
      const size_t place = at(&c, list[k].row + s->row, list[k].column + s->column);
      memcpy(c.want + place, c.in + place, (size_t)c.bytes);
    }
    c.to = c.from;
    c.from.data = c.in + s->offset * c.bytes, c.to.data = c.out + s->offset * c.bytes;
    int first_row = s->row, first_column = s->column;
    void *copy_arguments[] = {&c.from, &c.to, &first_row, &first_column};
    ops_each_schedule(module, copy, copy_arguments, c.out, c.size, check_copy, &c);
    void *load_arguments[] = {&c.from, &c.out, &first_row, &first_column};
    ops_each_schedule(module, load, load_arguments, c.out, (size_t)(c.elements * c.bytes), check_load, &c);
    for (int m = 0; m < 3; ++m) isa_ok(hipHostFree(memory[m]), "memory");
  }
}

typedef struct vectors {
  const float *in, *out;
  int rows, columns;
} vectors;

static void check_vectors(const char *name, void *context) {
  const vectors *v = context;
  for (int i = 0; i < OPS_ROWS; ++i)
    CHECK(v->out[i] == (i < v->rows ? v->in[i] : 0), "%s: value %d of %d rows", name, i, v->rows);
  for (int j = 0; j < OPS_COLUMNS; ++j) {
    uint32_t bits;
    memcpy(&bits, &v->out[OPS_ROWS + j], 4);
    CHECK(j < v->columns ? v->out[OPS_ROWS + j] == v->in[j] : bits == UINT32_MAX,
          "%s: value %d of %d columns", name, j, v->columns);
  }
}

static void run_vectors(hipModule_t module, const char *name) {
  static float *in, *out;
  if (!in) in = isa_memory(OPS_COLUMNS * 4), out = isa_memory((OPS_ROWS + OPS_COLUMNS) * 4);
  for (int i = 0; i < OPS_COLUMNS; ++i) in[i] = (float)(i + 1);
  static const int counts[][2] = {{OPS_ROWS, OPS_COLUMNS}, {OPS_ROWS - 5, 1}, {0, OPS_COLUMNS - 1}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    vectors v = {in, out, counts[i][0], counts[i][1]};
    void *arguments[] = {&in, &out, &v.rows, &v.columns};
    ops_each_schedule(module, name, arguments, out, (OPS_ROWS + OPS_COLUMNS) * 4, check_vectors, &v);
  }
}

enum { LDS_SIZE = OPS_ROWS * OPS_COLUMNS };

typedef struct passing {
  ops_element from[LDS_SIZE], to[LDS_SIZE];
  const uint16_t *in, *out;
} passing;

static void check_lds(const char *name, void *context) {
  const passing *p = context;
  static uint16_t values[OPS_ROWS][OPS_COLUMNS];
  for (int k = 0; k < LDS_SIZE; ++k) values[p->from[k].row][p->from[k].column] = p->in[k];
  for (int k = 0; k < LDS_SIZE; ++k) {
    CHECK(p->out[k] == values[p->to[k].row][p->to[k].column], "%s: lane %d lacks row %d, column %d", name,
          p->to[k].lane, p->to[k].row, p->to[k].column);
  }
}

static void run_lds(hipModule_t module, const char *name, ops_layout from, ops_layout to, bool gfx950) {
  static passing p;
  static uint16_t *in, *out;
  if (!in) in = isa_memory(LDS_SIZE * 2), out = isa_memory(LDS_SIZE * 2);
  for (int k = 0; k < LDS_SIZE; ++k) in[k] = (uint16_t)(k + 1);
  ops_elements(from, OPS_bf16, gfx950, OPS_ROWS, OPS_COLUMNS, p.from);
  ops_elements(to, OPS_bf16, gfx950, OPS_ROWS, OPS_COLUMNS, p.to);
  p.in = in, p.out = out;
  void *arguments[] = {&in, &out};
  ops_each_schedule(module, name, arguments, out, LDS_SIZE * 2, check_lds, &p);
}

static void check_device(hipModule_t module, bool gfx950) {
#define COPY(layout, type)                                                                             \
  check_kernel(module, "copy_" #type "_" #layout, "load_" #type "_" #layout, OPS_##layout, OPS_##type, \
               gfx950);
  OPS_MEMORY_CASES(COPY)
#define VECTORS(layout, type) run_vectors(module, "vectors_" #type "_" #layout);
  OPS_LAYOUTS(VECTORS, f32)
#define LDS(to, from, type)                                                        \
  run_lds(module, "plain_" #type "_" #from "_" #to, OPS_##from, OPS_##to, gfx950); \
  run_lds(module, "swizzled_" #type "_" #from "_" #to, OPS_##from, OPS_##to, gfx950);
  OPS_LAYOUTS(LDS, ct16, bf16)
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
