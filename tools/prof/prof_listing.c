// SPDX-License-Identifier: MIT
// Prints the hot loop's instructions with the cycles that waves spend at each.
#include <limits.h>
#include <stdio.h>

#include "core/tool.h"
#include "prof.h"

static const char *const short_names[WT_SIM_STALLS] = {
    [WT_SIM_STALL_MATRIX] = "MFMA",     [WT_SIM_STALL_VALU] = "VALU",      [WT_SIM_STALL_LDS_WAIT] = "LDS",
    [WT_SIM_STALL_LDS_QUEUE] = "queue", [WT_SIM_STALL_VMEM_WAIT] = "VMEM", [WT_SIM_STALL_TCP] = "TCP",
    [WT_SIM_STALL_BARRIER] = "barrier", [WT_SIM_STALL_ISSUE] = "issue",    [WT_SIM_STALL_FETCH] = "fetch",
    [WT_SIM_STALL_SLEEP] = "nop",
};

static double each(double sum, const sim_profile_op *op) {
  return op->seen.issued ? sum / (double)op->seen.issued : 0;
}

void prof_causes_text(const double lost[WT_SIM_STALLS], char *out, size_t size) {
  int first = 0, second = 1;
  if (lost[second] > lost[first]) first = 1, second = 0;
  for (int i = 2; i < WT_SIM_STALLS; ++i) {
    if (lost[i] > lost[first]) {
      second = first;
      first = i;
    } else if (lost[i] > lost[second]) {
      second = i;
    }
  }
  out[0] = 0;
  if (lost[first] < 0.05) return;
  const int used = snprintf(out, size, "  %s %.1f", short_names[first], lost[first]);
  if (lost[second] >= 0.05)
    snprintf(out + used, size - (size_t)used, ", %s %.1f", short_names[second], lost[second]);
}

void prof_print_row(int column, const char *text, const char *why) {
  enum { WIDTH = 40 };
  const int left = tool_columns_left(column);
  if (left == INT_MAX)
    printf("%-*s%s\n", *why ? WIDTH : 0, text, why);
  else if (*why)
    printf("%-*.*s%.*s\n", WIDTH, WIDTH, text, left - WIDTH > 8 ? left - WIDTH : 8, why);
  else
    printf("%.*s\n", left, text);
}

static void print_op(const sim_profile_launch *l, const sim_profile_op *op) {
  enum { TEXT_COLUMN = 34 };
  char why[64], idle[16] = "";
  double lost[WT_SIM_STALLS];
  for (int i = 0; i < WT_SIM_STALLS; ++i) lost[i] = each((double)op->seen.stall[i], op);
  prof_causes_text(lost, why, sizeof why);
  if (prof_op_idle(op) >= 0.05) snprintf(idle, sizeof idle, "%.1f", prof_op_idle(op));
  printf("  +0x%05llx %-6s %7.1f %6s  ", (unsigned long long)op->offset, prof_unit_name(op),
         each(prof_op_cycles(op), op), idle);
  prof_print_row(TEXT_COLUMN, prof_op_text(l, op), why);
}

void prof_print_listing(const prof_kernel *k) {
  const sim_profile_launch *l = k->timed;
  if (l->facts.op_count == 0) return;
  const prof_loop whole = {.first = 0, .last = (uint32_t)(l->facts.op_count - 1)};
  const prof_loop *range = k->loop.found ? &k->loop : &whole;
  const double iterations = k->loop.found ? k->loop.iterations : (double)l->facts.result.waves;
  double all = 0, idle = 0;
  for (uint32_t i = range->first; i <= range->last; ++i) {
    all += prof_op_cycles(&l->ops[i]);
    idle += prof_op_idle(&l->ops[i]);
  }
  printf(
      "  %s: an iteration takes a wave %.1f cycles, the matrix pipe idles %.1f; %.0f iterations were timed\n",
      k->loop.found ? "hot loop" : "no loop, so all instructions", iterations > 0 ? all / iterations : 0,
      idle, iterations);
  printf("  cycles: an instruction's own slot and what the wave lost before it, mean\n");
  printf(
      "  idle:   cycles before this MFMA in which the matrix pipe had no work, mean of all but the first "
      "iteration\n");
  printf("  %-8s %-6s %7s %6s  %-40s  %s\n", "offset", "unit", "cycles", "idle", "instruction", "lost to");
  for (uint32_t i = range->first; i <= range->last; ++i) print_op(l, &l->ops[i]);
}
