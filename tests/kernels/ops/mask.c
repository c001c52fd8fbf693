// SPDX-License-Identifier: MIT
// Tests masks by position: which elements stay, at the edges, across the diagonal, far from it on both sides.
#include <limits.h>

#include "host.h"

enum { SIZE = OPS_SIZE };

typedef struct masking {
  int row, column, window, edge, bytes;
  const ops_element *list;
  const unsigned char *in, *out;
  unsigned char value[4];
} masking;

static void check(const char *name, void *context) {
  const masking *m = context;
  for (int k = 0; k < SIZE; ++k) {
    const ops_element *e = &m->list[k];
    const int behind = e->row + m->row - (e->column + m->column);  // the query is so far after the key
    const bool keep[OPS_MASKS] = {behind >= 0, behind >= 0 && behind < m->window, e->column < m->edge,
                                  e->row < m->edge};
    for (int i = 0; i < OPS_MASKS; ++i) {
      const unsigned char *want = keep[i] ? m->in + k * m->bytes : m->value,
                          *got = m->out + (i * SIZE + k) * m->bytes;
      CHECK(memcmp(got, want, (size_t)m->bytes) == 0,
            "%s: row %d, column %d should be %s by mask %d at (%d, %d), window %d, edge %d", name, e->row,
            e->column, keep[i] ? "kept" : "masked", i, m->row, m->column, m->window, m->edge);
    }
  }
}

static void check_kernel(hipModule_t module, const char *name, ops_layout layout, ops_type type,
                         bool gfx950) {
  static ops_element list[SIZE];
  static unsigned char *in, *out;
  if (!in) in = isa_memory(SIZE * 4), out = isa_memory(OPS_MASKS * SIZE * 4);
  static const int cases[][4] = {{0, 0, 8, 40},  {16, 0, 1, 1},        {0, 33, 0, 0},  {100, 100, 1000, 64},
                                 {7, 20, 5, 31}, {100000, 3, 20, 100}, {64, 0, 64, -1}};
  enum { CASES = sizeof cases / sizeof *cases };
  test_rng rng = {17};
  ops_elements(layout, type, gfx950, OPS_ROWS, OPS_COLUMNS, list);
  // Takes any bits, NaN among them: masks do not compute.
  for (int k = 0; k < SIZE * ops_bytes[type]; ++k) in[k] = (unsigned char)test_random(&rng);
  for (int i = 0; i < CASES; ++i) {
    masking m = {cases[i][0], cases[i][1], cases[i][2], cases[i][3], ops_bytes[type], list, in, out, {0}};
    float value = i % 2 ? 0.3f : -INFINITY;        // f16 and bf16 round 0.3
    int number = i % 2 ? (1 << 24) + 1 : INT_MIN;  // f32 would round the first
    const bool integers = type == OPS_i32;
    ops_encode(type, gfx950, integers ? number : (double)value, m.value);
    void *arguments[] = {
        &in, &out, &m.row, &m.column, &m.window, &m.edge, integers ? (void *)&number : (void *)&value};
    ops_each_schedule(module, name, arguments, out, (size_t)(OPS_MASKS * SIZE * m.bytes), check, &m);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
#define KERNEL(layout, type) \
  check_kernel(module, "mask_" #type "_" #layout, OPS_##layout, OPS_##type, gfx950);
  OPS_OWN_LAYOUTS(KERNEL, f32)
  OPS_OWN_LAYOUTS(KERNEL, f16)
  OPS_OWN_LAYOUTS(KERNEL, bf16)
  OPS_OWN_LAYOUTS(KERNEL, i32)
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
