// SPDX-License-Identifier: MIT
// Tests ds_gws_barrier in a cooperative launch: a wave that does not complete the count waits, the one that
// does opens the barrier and sets the count anew, and with no lane active nothing happens (CDNA3 ISA,
// DS_GWS_BARRIER). A launch of which some work-groups never arrive says how many are missing.
#include "sim/exec/resident.h"
#include "tests/isa/harness.h"

static const char *const code[] = {"v_mov_b32 v2, 3\n s_nop 4\n ds_gws_barrier v2 gds",
                                   "s_mov_b64 exec, 0\n s_nop 4\n ds_gws_barrier v2 gds",
                                   ("s_cmp_ge_u32 s0, 2\n s_cbranch_scc1 1f\n v_mov_b32 v2, 1\n s_nop 4\n"
                                    "ds_gws_barrier v2 gds\n 1: s_nop 0")};

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

// Makes a whole launch of which the work-groups 0 and 1 alone sync the grid.
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

// Work-group 1 comes late to each of four syncs, and writes before it what work-group 0 reads behind it.
static void what_is_written_before_each_sync_is_read_behind_it(const char *target) {
  enum { ROUNDS = 4 };
  static uint32_t memory[2 * ROUNDS];
  static char text[1024];
  const uint64_t base = (uintptr_t)memory;
  memset(memory, 0, sizeof memory);
  snprintf(
      text, sizeof text,
      "s_mov_b32 s2, 0x%x\n s_mov_b32 s3, 0x%x\n v_mov_b32 v2, 1\n s_mov_b32 s4, 0\n 1: v_mov_b32 v3, s4\n"
      "s_cmp_eq_u32 s0, 0\n s_cbranch_scc1 3f\n s_mov_b32 s5, 20000\n"
      "2: s_sub_u32 s5, s5, 1\n s_cmp_lg_u32 s5, 0\n s_cbranch_scc1 2b\n"
      "global_store_dword v3, v2, s[2:3]\n s_waitcnt vmcnt(0)\n 3: ds_gws_barrier v2 gds\n"
      "s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 4f\n global_load_dword v5, v3, s[2:3]\n s_waitcnt vmcnt(0)\n"
      "global_store_dword v3, v5, s[2:3] offset:%d\n 4: s_add_u32 s4, s4, 4\n"
      "s_cmp_lt_u32 s4, %d\n s_cbranch_scc1 1b",
      (unsigned)base, (unsigned)(base >> 32), 4 * ROUNDS, 4 * ROUNDS);
  isa_program *p = isa_assemble(target, &(const char *){text}, 1);
  isa_begin(p, 0);
  isa_kernel(p)->rsrc2 = 1u << 7;  // s0 is the work-group's id
  sim_launch launch = *isa_group(p)->launch;
  launch.grid[0] = 2;
  launch.cooperative = true;
  CHECK(sim_memory_add((sim_allocation){.base = base, .size = sizeof memory}), "the memory");
  sim_result result = {0};
  sim_launch_run(&launch, &result);
  CHECK(!result.fault, "%s: %s", target, result.report);
  for (int i = 0; i < ROUNDS; ++i)
    CHECK(memory[ROUNDS + i] == 1, "%s: sync %d lets work-group 0 read %u", target, i, memory[ROUNDS + i]);
  sim_memory_remove(base);
  isa_free(p);
}

int main(void) {
  const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    check(targets[i], 0, 1, 3);
    check(targets[i], 1, 0, 0);
    what_is_written_before_each_sync_is_read_behind_it(targets[i]);
    launch(targets[i], 2, SIM_FAULT_NONE, "");
    launch(targets[i], 3, SIM_FAULT_DEADLOCK, " 1 arrivals are missing");
    launch(targets[i], 6, SIM_FAULT_DEADLOCK, " 4 arrivals are missing");
  }
  return test_result();
}
