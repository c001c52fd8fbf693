// SPDX-License-Identifier: MIT
// Global wave sync: the barrier of a cooperative launch (cooperative_groups' grid sync ends here). The driver
// gives such a launch resource 0 and counts it down from its work-groups; the other operations have no user.
#include "sim/exec/memory/memory_ops.h"
#include "sim/exec/resident.h"

// The wave waits unless it is the last of those the resource counts; its value then counts for the next time
// (CDNA3 ISA, DS_GWS_BARRIER). The resource is M0[21:16] + offset.
static void run_barrier(sim_wave *w, const sim_op *op) {
  struct sim_grid *grid = w->group->grid;
  uint32_t resource = ((w->s[SIM_M0] >> 16) + (uint32_t)op->imm) & 63;
  if (!grid || !w->group->launch->cooperative || resource) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1,
              "resource %u of the global wave sync is not the launch's; a kernel that syncs its grid wants "
              "hipLaunchCooperativeKernel, which gives it resource 0",
              resource);
    return;
  }
  uint64_t lanes = sim_exec(w);
  if (!lanes) return;
  if (grid->missing) {
    --grid->missing;
    w->state = SIM_WAVE_GRID;
    w->opened = grid->opened;
    return;
  }
  grid->missing = w->v[op->src[0].reg][__builtin_ctzll(lanes)];
  ++grid->opened;
}

static const sim_opinfo rows[] = {{
    .name = "ds_gws_barrier",
    .operands = "b32",
    .run = run_barrier,
    .chips = SIM_ON_BOTH,
    .klass = SIM_CLASS_BARRIER,
    .facts = SIM_ROW_GRID,
}};

const sim_optable sim_table_gws = {rows, sizeof rows / sizeof rows[0]};
