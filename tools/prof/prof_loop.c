// SPDX-License-Identifier: MIT
// Finds the hot loop of a kernel, and what its instructions cost.
#include "prof.h"
#include "sim/exec/op_cost.h"
#include "sim/isa/op.h"

double prof_op_stalls(const sim_profile_op *op) {
  double sum = 0;
  for (int i = 0; i < WT_SIM_STALLS; ++i) sum += (double)op->seen.stall[i];
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

// Returns the share of the loop's iterations in which an op is issued.
static double share_of_iterations(const sim_profile_launch *l, const prof_loop *loop, uint32_t i) {
  return loop->iterations > 0 ? (double)l->ops[i].seen.issued / loop->iterations : 0;
}

// Shares the pipe's idle cycles among what the wave did between the MFMA before `i` and the MFMA `i`. Which
// part of that time the pipe was busy is not known, so that idle cycles are spread over all of it evenly.
static void share_idle(const sim_profile_launch *l, prof_loop *loop, uint32_t i) {
  const double idle = prof_op_idle(&l->ops[i]) * share_of_iterations(l, loop, i);
  double did[WT_SIM_STALLS + 1] = {0}, all = 0;
  uint32_t at = i;
  do {
    const sim_profile_op *op = &l->ops[at];
    const double share = share_of_iterations(l, loop, at) / (double)(op->seen.issued ? op->seen.issued : 1);
    for (int k = 0; k < WT_SIM_STALLS; ++k)
      if (k != WT_SIM_STALL_MATRIX) did[k] += (double)op->seen.stall[k] * share;
    if (at != i) did[WT_SIM_STALLS] += PROF_SLOT_CYCLES * (double)op->seen.issued * share;
    at = at == loop->first ? loop->last : at - 1;
  } while (at != i && l->ops[at].klass != SIM_CLASS_MFMA);
  for (int k = 0; k <= WT_SIM_STALLS; ++k) all += did[k];
  loop->pipe_idle += idle;
  if (all <= 0) did[WT_SIM_STALL_MATRIX] = all = 1;  // nothing but waiting for a result
  for (int k = 0; k <= WT_SIM_STALLS; ++k) loop->idle[k] += idle * did[k] / all;
}

static prof_loop sum_up(const sim_profile_launch *l, uint32_t first, uint32_t last) {
  prof_loop loop = {.found = true, .first = first, .last = last};
  loop.iterations = (double)l->ops[last].seen.issued;
  for (uint32_t i = first; i <= last; ++i) {
    const sim_profile_op *op = &l->ops[i];
    for (int k = 0; k < WT_SIM_STALLS; ++k) loop.stall[k] += (double)op->seen.stall[k];
    loop.wave_cycles += prof_op_cycles(op);
    if (op->klass != SIM_CLASS_MFMA) continue;
    loop.pipe_busy += op->seen.cycles * share_of_iterations(l, &loop, i);
    share_idle(l, &loop, i);
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
