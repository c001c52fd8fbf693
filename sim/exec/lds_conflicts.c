// SPDX-License-Identifier: MIT
// The bank conflicts of one access, and their place in the work-group's counts.
#include "sim/exec/lds_conflicts.h"

#include "sim/exec/memory/memory_ops.h"

// Dwords one phase accesses in one bank: at most one of every lane, for a lane's dwords are consecutive and
// fewer than there are banks.
typedef struct bank {
  uint32_t count;
  uint64_t dword[SIM_LANES];
} bank;

static void touch(bank *b, uint64_t dword) {
  for (uint32_t i = 0; i < b->count; ++i)
    if (b->dword[i] == dword) return;
  b->dword[b->count++] = dword;
}

// Returns how many cycles a phase takes: the most dwords that it accesses in one bank.
static uint32_t phase_cycles(uint32_t banks, uint32_t bytes, uint64_t lanes,
                             const uint64_t address[SIM_LANES]) {
  bank bank_of[SIM_LDS_MAX_BANKS];
  uint32_t worst = 0;
  for (uint32_t i = 0; i < banks; ++i) bank_of[i].count = 0;
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    for (uint64_t dword = address[l] / 4; dword <= (address[l] + bytes - 1) / 4; ++dword)
      touch(&bank_of[dword % banks], dword);
  }
  for (uint32_t i = 0; i < banks; ++i)
    if (bank_of[i].count > worst) worst = bank_of[i].count;
  return worst;
}

// Returns whether the lanes of a phase access banks of their own, or the same dwords, as in most phases: it
// takes a cycle then. A lane's dwords lie in banks one after the other, round their end; there are 32 or 64.
static bool is_apart(uint32_t banks, uint32_t bytes, uint64_t lanes, const uint64_t address[SIM_LANES]) {
  uint64_t taken = 0, begun = 0;       // banks that lanes access, and those that they begin with
  uint64_t dwords[SIM_LDS_MAX_BANKS];  // first and last of the lane that begins with a bank
  for (; lanes; lanes &= lanes - 1) {
    const uint64_t at = address[__builtin_ctzll(lanes)], dword = at / 4, last = (at + bytes - 1) / 4;
    const uint64_t first = dword & (banks - 1), run = ((2ULL << (last - dword)) - 1), once = run << first;
    const uint64_t own = banks == 32 ? (uint32_t)(once | once >> 32) : once | run >> (-first & 63);
    if (!(taken & own)) {
      taken |= own;
      begun |= 1ULL << first;
      dwords[first] = dword << 32 | last;
    } else if (!(begun >> first & 1) || dwords[first] != (dword << 32 | last)) {
      return false;
    }
  }
  return true;
}

uint64_t sim_lds_conflict_cycles(const sim_lds_rule *rule, uint32_t bytes, uint64_t lanes,
                                 const uint64_t address[SIM_LANES]) {
  uint64_t cycles = 0;
  for (uint32_t i = 0; i < rule->phases; ++i) {
    const uint64_t served = lanes & rule->lanes[i];
    if (!is_apart(rule->banks, bytes, served, address))
      cycles += phase_cycles(rule->banks, bytes, served, address) - 1;
  }
  return cycles;
}

void sim_lds_count_access(sim_wave *w, const sim_op *op, sim_lds_kind kind, uint32_t bytes, uint64_t lanes,
                          const uint64_t first[SIM_LANES], const uint64_t *second) {
  const sim_group *g = w->group;
  const sim_lds_rule *rule = &g->launch->machine->lds_banks->rule[kind][(bytes + 3) / 4 - 1];
  sim_lds_count *count = &g->lds_counts[op - g->program->ops];
  uint64_t cycles = sim_lds_conflict_cycles(rule, bytes, lanes, first);
  if (second) cycles += sim_lds_conflict_cycles(rule, bytes, lanes, second);
  ++count->executions;
  count->conflict_cycles += cycles;
  ++w->group->lds_total.executions;
  w->group->lds_total.conflict_cycles += cycles;
}
