// SPDX-License-Identifier: MIT
// The hot loop's instructions with the cycles that waves spend at each.
#include <stdio.h>

#include "prof.h"

static const char *const short_names[WT_SIM_STALLS] = {
    [WT_SIM_STALL_MATRIX] = "MFMA",     [WT_SIM_STALL_VALU] = "VALU",      [WT_SIM_STALL_LDS_WAIT] = "LDS",
    [WT_SIM_STALL_LDS_QUEUE] = "queue", [WT_SIM_STALL_VMEM_WAIT] = "VMEM", [WT_SIM_STALL_TCP] = "TCP",
    [WT_SIM_STALL_BARRIER] = "barrier", [WT_SIM_STALL_ISSUE] = "issue",    [WT_SIM_STALL_FETCH] = "fetch",
    [WT_SIM_STALL_SLEEP] = "nop",
};

static double each(uint64_t sum, const sim_profile_op *op) {
  return op->seen.issued ? (double)sum / (double)op->seen.issued : 0;
}

// The two causes the op loses most cycles to.
static void causes(const sim_profile_op *op, char *out, size_t size) {
  int first = 0, second = 1;
  const uint64_t *stall = op->seen.stall;
  if (stall[second] > stall[first]) first = 1, second = 0;
  for (int i = 2; i < WT_SIM_STALLS; ++i) {
    if (stall[i] > stall[first]) {
      second = first;
      first = i;
    } else if (stall[i] > stall[second]) {
      second = i;
    }
  }
  const double most = each(stall[first], op), more = each(stall[second], op);
  out[0] = 0;
  if (most < 0.05) return;
  const int used = snprintf(out, size, "  %s %.1f", short_names[first], most);
  if (more >= 0.05) snprintf(out + used, size - (size_t)used, ", %s %.1f", short_names[second], more);
}

static void print_op(const sim_profile_launch *l, const sim_profile_op *op) {
  char text[48], why[64], idle[16] = "";
  causes(op, why, sizeof why);
  snprintf(text, sizeof text, why[0] ? "%-40.40s" : "%.40s", prof_op_text(l, op));
  if (prof_op_idle(op) >= 0.05) snprintf(idle, sizeof idle, "%.1f", prof_op_idle(op));
  printf("  +0x%05llx %-6s %7.1f %6s  %s%.26s\n", (unsigned long long)op->offset, prof_unit_name(op),
         each((uint64_t)prof_op_cycles(op), op), idle, text, why);
}

void prof_print_listing(const prof_kernel *k) {
  const sim_profile_launch *l = k->timed;
  if (l->facts.op_count == 0) return;
  const prof_loop whole = {.first = 0, .last = (uint32_t)(l->facts.op_count - 1)};
  const prof_loop *range = k->loop.found ? &k->loop : &whole;
  const double turns = k->loop.found ? k->loop.iterations : (double)l->facts.result.waves;
  double all = 0, idle = 0;
  for (uint32_t i = range->first; i <= range->last; ++i) {
    all += prof_op_cycles(&l->ops[i]);
    idle += prof_op_idle(&l->ops[i]);
  }
  printf("  %s: a turn takes a wave %.1f cycles, the matrix pipe idles %.1f; %.0f turns were timed\n",
         k->loop.found ? "hot loop" : "no loop, so all instructions", turns > 0 ? all / turns : 0, idle,
         turns);
  printf("  cycles: an instruction's own slot and what the wave lost before it, mean\n");
  printf(
      "  idle:   what the matrix pipe had nothing to do before this MFMA, mean over turns after the first\n");
  printf("  %-8s %-6s %7s %6s  %-40s  %s\n", "offset", "unit", "cycles", "idle", "instruction", "lost to");
  for (uint32_t i = range->first; i <= range->last; ++i) print_op(l, &l->ops[i]);
}
