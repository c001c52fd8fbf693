// SPDX-License-Identifier: MIT
// Tests what the compiler made of the grouped kernels whose loops are schedules: no main loop touches
// scratch, and none moves registers but as often as the table below says. Kernels for any matrix and for few
// rows have loops that are written by hand.
//
//   loops DIRECTORY: of the code objects
#include <string.h>

#include "tests/check.h"
#include "tests/kernels/code_loops.h"

// Lists moves per iteration of the loop; rows that are not here promise none. Where kernels compute what
// follows from a thread's number anew (`places` in instances.def is `anew`), places in LDS that a loop writes
// to are such numbers: the thread's is moved to another register, and shifted there.
typedef struct promise {
  const char *stem, *target;
  const char *types;  // that the kernel's name has
  unsigned moves;
  unsigned agprs;  // moves from AGPRs, where places to read from have no other register
} promise;

static const promise promises[] = {
    {"grouped_4wave_256x256", "gfx942", "", 8, 0},
    {"grouped_block_tiles_128x128", "gfx942", "", 8, 0},
    {"grouped_block_rows_128x128", "gfx942", "", 8, 0},
    {"grouped_block_tiles_256x256", "gfx950", "", 2, 0},
    {"grouped_mx_128x128", "gfx950", "fp4e2m1_fp4e2m1", 2, 0},
    {"grouped_mx_128x128", "gfx950", "fp8", 4, 0},
    {"grouped_mx_256x256", "gfx950", "fp4e2m1_fp4e2m1", 4, 0},
    {"grouped_mx_256x256", "gfx950", "fp8", 8, 0},
    {"grouped_mx_6_256x256", "gfx950", "", 8, 0},
    {"grouped_block_powers_tiles_128x128", "gfx950", "", 4, 0},
    {"grouped_block_powers_tiles_256x256", "gfx950", "", 8, 3},
    {"grouped_block_powers_rows_128x128", "gfx950", "", 4, 0},
    {"grouped_block_powers_rows_256x256", "gfx950", "", 8, 3},
    {"grouped_mx_bf16_128x128", "gfx950", "", 4, 0},
    {"grouped_mx_bf16_256x128", "gfx950", "", 4, 0},
};
enum { PROMISES = sizeof promises / sizeof *promises };

enum { BY_HAND, SCHEDULE };
enum {
#define GROUPED_MECHANISM(mechanism, loop) LOOP_##mechanism = loop,
#include "kernels/grouped/instances.def"
};
enum stages { NOT_MADE = 0, REGISTERS = 1 };

static const struct instance {
  const char *stem;
  int loop;            // BY_HAND or SCHEDULE
  unsigned stages[2];  // for gfx942, gfx950
} instances[] = {
#define GROUPED_INSTANCE(name, mechanism, tile_m, tile_n, waves, waves_k, stages_gfx942, stages_gfx950, \
                         shared_gfx942, shared_gfx950, least_steps, places, efficiency, pairs)          \
  {#name, LOOP_##mechanism, {stages_gfx942, stages_gfx950}},
#include "kernels/grouped/instances.def"
};
enum { INSTANCES = sizeof instances / sizeof *instances };

typedef struct checking {
  const char *stem;
  unsigned loops;
  bool kept[PROMISES];
} checking;

static void check_kernel(const code_kernel *k, void *context) {
  checking *c = context;
  unsigned promised = 0, agprs = 0;
  for (int i = 0; i < PROMISES; ++i) {
    const promise *p = &promises[i];
    if (strcmp(p->stem, c->stem) != 0 || strcmp(p->target, k->target) != 0 ||
        !strstr(k->kernel->name, p->types))
      continue;
    promised = p->moves, agprs = p->agprs;
    c->kept[i] = true;
  }
  code_check_loop(k, promised, agprs);
  CHECK(code_count(k, "v_mov_") == promised,
        "%s for %s has %u v_mov_* in its main loop, fewer than the %u of the table", k->kernel->name,
        k->target, code_count(k, "v_mov_"), promised);
  ++c->loops;
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: loops DIRECTORY\n"), 2;
  checking c = {.loops = 0};
  for (int i = 0; i < INSTANCES; ++i)
    for (int chip = 0; chip < 2; ++chip) {
      const struct instance *row = &instances[i];
      if (row->loop != SCHEDULE || row->stages[chip] == NOT_MADE) continue;
      c.stem = row->stem;
      CHECK(code_each_kernel(argv[1], c.stem, chip ? "gfx950" : "gfx942", check_kernel, &c) > 0,
            "%s has no kernels", c.stem);
    }
  for (int i = 0; i < PROMISES; ++i)
    CHECK(c.kept[i], "no kernel is %s %s for %s", promises[i].stem, promises[i].types, promises[i].target);
  printf("%u loops\n", c.loops);
  return test_result();
}
