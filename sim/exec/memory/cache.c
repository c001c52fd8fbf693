// SPDX-License-Identifier: MIT
// Implements cache maintenance. Memory is coherent here, so these have no effect on data.
#include "sim/exec/memory/memory_ops.h"

// A write-back is complete when vmcnt says so (LLVM AMDGPUUsage, memory model gfx942: buffer_wbl2, then
// vmcnt(0)).
static void run_write_back(sim_wave *w, const sim_op *op) {
  sim_access *a = sim_issue_vm(w, op, sim_land_nothing);
  a->bytes = 0;
  sim_commit(w);
}

static void run_invalidate(sim_wave *w, const sim_op *op) {
  (void)w;
  (void)op;
}

// The optional operand is the first scope bit, which LLVM prints where operands stand.
static const sim_opinfo rows[] = {
    {.name = "buffer_wbl2",
     .operands = "any?",
     .run = run_write_back,
     .chips = SIM_ON_BOTH,
     .klass = SIM_CLASS_VMEM,
     .facts = SIM_ROW_NO_MEMORY | SIM_ROW_RELEASES},
    {.name = "buffer_inv",
     .operands = "any?",
     .run = run_invalidate,
     .chips = SIM_ON_BOTH,
     .klass = SIM_CLASS_VMEM,
     .facts = SIM_ROW_NO_MEMORY | SIM_ROW_ACQUIRES | SIM_ROW_INVALIDATES},
};

const sim_optable sim_table_cache = {rows, sizeof rows / sizeof rows[0]};
