// SPDX-License-Identifier: MIT
// Finds what polls memory: a loop of few instructions that reads past the caches, updates memory and takes
// the old value, or sleeps or invalidates a cache between its loads.
#include <string.h>

#include "sim/isa/program.h"

enum { LONGEST = 64 };  // instructions of a loop that only waits

static bool is_named(const sim_op *op, const char *begin) {
  return op->info && strncmp(op->info->name, begin, strlen(begin)) == 0;
}

static bool reads_memory(const sim_op *op) {
  if (!op->info) return false;
  const bool scalar =
      op->info->klass == SIM_CLASS_SMEM && (is_named(op, "s_load") || is_named(op, "s_buffer_load"));
  return scalar || (op->info->klass == SIM_CLASS_VMEM && (op->dst_count || strstr(op->info->name, "atomic")));
}

// Returns whether other work-groups and the host can make the next reading differ: LLVM AMDGPUUsage, memory
// model of gfx942, has the bits of each scope.
static bool reads_past_caches(const sim_op *op) { return op->flags & (SIM_F_SC0 | SIM_F_SC1); }

static bool mark_loop(sim_op *begin, sim_op *end) {
  bool pauses = false, found = false;
  for (const sim_op *op = begin; op < end; ++op)
    pauses |= is_named(op, "s_sleep") || is_named(op, "s_dcache_inv") || is_named(op, "buffer_inv");
  for (sim_op *op = begin; op < end; ++op) {
    if (!reads_memory(op) || !(pauses || reads_past_caches(op))) continue;
    op->flags |= SIM_F_POLLS;
    found = true;
  }
  return found;
}

bool sim_mark_polls(sim_program *p) {
  bool found = false;
  for (uint32_t i = 0; i < p->op_count; ++i) {
    const uint32_t target = p->ops[i].target;
    if (p->ops[i].info && p->ops[i].info->klass == SIM_CLASS_BRANCH && target <= i && i - target < LONGEST)
      found |= mark_loop(&p->ops[target], &p->ops[i]);
  }
  return found;
}
