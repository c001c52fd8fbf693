// SPDX-License-Identifier: MIT
// Vectors through LDS: every lane has the value of the row (column) that its elements lie in, after the way
// there and back.
#include "host.h"

enum { MOST = 64 * OPS_LANES * 2 };

typedef struct passed {
  ops_layout layout;
  ops_type type;
  bool gfx950, rows;
  const unsigned char *in, *out;
} passed;

// Finds the distinct rows (columns) of a lane, fragment after fragment, as its elements first meet them.
static int positions(const passed *p, int lane, int *list) {
  const int length = p->rows ? OPS_ROWS : OPS_COLUMNS;
  int count = 0, row, column;
  const ops_fragment f = ops_place(p->layout, ops_bytes[p->type], false, p->gfx950, lane, 0, &row, &column);
  for (int first = 0; first < length; first += p->rows ? f.rows : f.columns) {
    const int start = count;
    for (int e = 0; e < f.elements; ++e) {
      ops_place(p->layout, ops_bytes[p->type], false, p->gfx950, lane, e, &row, &column);
      const int position = first + (p->rows ? row : column);
      bool known = false;
      for (int i = start; i < count; ++i) known = known || list[i] == position;
      if (!known) list[count++] = position;
    }
  }
  return count;
}

static void check(const char *name, void *context) {
  const passed *p = context;
  const int bytes = ops_bytes[p->type];
  for (int lane = 0; lane < OPS_LANES; ++lane) {
    int list[OPS_COLUMNS];
    const int count = positions(p, lane, list);
    for (int wave = 0; wave < 2; ++wave)
      for (int i = 0; i < count; ++i) {
        const unsigned char *got = p->out + ((wave * count + i) * OPS_LANES + lane) * bytes;
        CHECK(memcmp(got, p->in + list[i] * bytes, (size_t)bytes) == 0,
              "%s: wave %d, lane %d, value %d is not that of position %d", name, wave, lane, i, list[i]);
      }
  }
}

static void check_kernel(hipModule_t module, const char *name, ops_layout layout, ops_type type, bool rows,
                         bool gfx950) {
  static unsigned char *in, *out;
  if (!in) in = isa_memory(OPS_COLUMNS * 4), out = isa_memory(MOST * 4);
  for (int i = 0; i < OPS_COLUMNS; ++i) ops_encode(type, gfx950, i + 1, in + i * ops_bytes[type]);
  passed p = {layout, type, gfx950, rows, in, out};
  void *arguments[] = {&in, &out};
  for (int s = 0; s < OPS_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", ops_schedules[s], 1);
    memset(out, 0xff, MOST * 4);
    if (isa_run(module, name, 2 * OPS_LANES, arguments)) check(name, &p);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
#define KERNELS(layout, type)                                                              \
  check_kernel(module, "rows_" #type "_" #layout, OPS_##layout, OPS_##type, true, gfx950); \
  check_kernel(module, "columns_" #type "_" #layout, OPS_##layout, OPS_##type, false, gfx950);
  OPS_LAYOUTS(KERNELS, f32)
  OPS_LAYOUTS(KERNELS, bf16)
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
