// SPDX-License-Identifier: MIT
// ds_gws_barrier in a cooperative launch: a wave that does not complete the count waits, the one that does
// opens the barrier and sets the count anew, and with no lane active nothing happens (CDNA3 ISA,
// DS_GWS_BARRIER).
#include "sim/exec/resident.h"
#include "tests/isa/harness.h"

static const char *const code[] = {"v_mov_b32 v2, 3\n s_nop 4\n ds_gws_barrier v2 gds",
                                   "s_mov_b64 exec, 0\n s_nop 4\n ds_gws_barrier v2 gds"};

static void check(const char *target, size_t snippet, uint64_t opened, uint64_t missing) {
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof *code);
  isa_begin(p, snippet);
  sim_group *g = isa_group(p);
  sim_launch launch = *g->launch;
  struct sim_grid grid = {0};
  launch.cooperative = true;
  g->launch = &launch;
  g->grid = &grid;
  CHECK_RUN(p);
  CHECK(grid.opened == opened && grid.missing == missing, "%s: opened %llu times, %llu are missing", target,
        (unsigned long long)grid.opened, (unsigned long long)grid.missing);
  isa_free(p);
}

int main(void) {
  const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    check(targets[i], 0, 1, 3);
    check(targets[i], 1, 0, 0);
  }
  return test_result();
}
