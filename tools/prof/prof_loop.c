// SPDX-License-Identifier: MIT
// The hot loop of a kernel, and what its instructions cost.
#include "prof.h"
#include "sim/isa/op.h"
#include "sim/timing/op_cost.h"

double prof_op_stalls(const sim_profile_op *op) {
  double sum = 0;
  for (int i = 0; i < SIM_STALLS; ++i) sum += (double)op->seen.stall[i];
  return sum;
}

double prof_op_cycles(const sim_profile_op *op) {
  return prof_op_stalls(op) + PROF_SLOT_CYCLES * (double)op->seen.issued;
}

double prof_op_idle(const sim_profile_op *op) {
  return op->seen.watched ? (double)op->seen.idle / (double)op->seen.watched : 0;
}

const char *prof_op_text(const sim_profile_launch *launch, const sim_profile_op *op) {
  return launch->text + op->text;
}

const char *prof_unit_name(const sim_profile_op *op) {
  static const char *const names[SIM_UNITS] = {
      [SIM_UNIT_VALU] = "VALU",     [SIM_UNIT_MFMA] = "MFMA",     [SIM_UNIT_LDS] = "LDS",
      [SIM_UNIT_VMEM] = "VMEM",     [SIM_UNIT_SCALAR] = "scalar", [SIM_UNIT_BRANCH] = "branch",
      [SIM_UNIT_INTERNAL] = "wait",
  };
  return op->seen.unit < SIM_UNITS ? names[op->seen.unit] : "";
}

static prof_loop sum_up(const sim_profile_launch *l, uint32_t first, uint32_t last) {
  prof_loop loop = {.found = true, .first = first, .last = last};
  loop.iterations = (double)l->ops[last].seen.issued;
  for (uint32_t i = first; i <= last; ++i) {
    for (int k = 0; k < SIM_STALLS; ++k) loop.stall[k] += (double)l->ops[i].seen.stall[k];
    loop.wave_cycles += prof_op_cycles(&l->ops[i]);
  }
  return loop;
}

// Backward branches that were executed close loops.
static bool closes_loop(const sim_profile_launch *l, uint32_t i) {
  return l->ops[i].target <= i && l->ops[i].seen.issued > 0;
}

static bool is_innermost(const sim_profile_launch *l, uint32_t branch) {
  for (uint32_t i = l->ops[branch].target; i < branch; ++i)
    if (closes_loop(l, i) && l->ops[i].target >= l->ops[branch].target) return false;
  return true;
}

// The model names the loop with most matrix work. Where there is none, it is the innermost loop that takes
// most of the waves' time.
prof_loop prof_find_loop(const sim_profile_launch *l) {
  const uint32_t branch = l->facts.loop_branch;
  if (branch != UINT32_MAX && l->ops[branch].target <= branch)
    return sum_up(l, l->ops[branch].target, branch);
  prof_loop best = {.found = false};
  for (uint32_t i = 0; i < l->facts.op_count; ++i) {
    if (!closes_loop(l, i) || !is_innermost(l, i)) continue;
    prof_loop loop = sum_up(l, l->ops[i].target, i);
    if (loop.wave_cycles > best.wave_cycles) best = loop;
  }
  return best;
}
