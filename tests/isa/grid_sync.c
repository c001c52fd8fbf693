// SPDX-License-Identifier: MIT
// ds_gws_barrier in a cooperative launch: a wave that does not complete the count waits, the one that does
// opens the barrier and sets the count anew, and with no lane active nothing happens (CDNA3 ISA,
// DS_GWS_BARRIER). A launch of which some work-groups never arrive says how many are missing.
#include "sim/exec/resident.h"
#include "tests/isa/harness.h"

static const char *const code[] = {"v_mov_b32 v2, 3\n s_nop 4\n ds_gws_barrier v2 gds",
                                   "s_mov_b64 exec, 0\n s_nop 4\n ds_gws_barrier v2 gds",
                                   "s_cmp_ge_u32 s0, 2\n s_cbranch_scc1 1f\n v_mov_b32 v2, 1\n s_nop 4\n"
                                   "ds_gws_barrier v2 gds\n 1: s_nop 0"};

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

// A whole launch of which the work-groups 0 and 1 alone sync the grid.
static void launch(const char *target, uint32_t groups, sim_fault_kind fault, const char *text) {
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof *code);
  isa_begin(p, 2);
  isa_kernel(p)->rsrc2 = 1u << 7;  // s0 is the work-group's id
  sim_launch launch = *isa_group(p)->launch;
  launch.grid[0] = groups;
  launch.cooperative = true;
  sim_result result = {0};
  sim_launch_run(&launch, &result);
  CHECK(result.fault == fault && strstr(result.report, text), "%s: %u work-groups end in fault %d: %s",
        target, groups, (int)result.fault, result.report);
  if (!fault)
    CHECK(result.workgroups == groups, "%s: %llu work-groups end", target,
          (unsigned long long)result.workgroups);
  isa_free(p);
}

int main(void) {
  const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    check(targets[i], 0, 1, 3);
    check(targets[i], 1, 0, 0);
    launch(targets[i], 2, SIM_FAULT_NONE, "");
    launch(targets[i], 3, SIM_FAULT_DEADLOCK, " 1 arrivals are missing");
    launch(targets[i], 6, SIM_FAULT_DEADLOCK, " 4 arrivals are missing");
  }
  return test_result();
}
