// SPDX-License-Identifier: MIT
// Software wait states between the instructions that a wave executes. What they are depends only on the path
// through the last few instructions, so that an op is looked at once for each such path.
#include <stdio.h>

#include "sim/check/state.h"

// Identifies the path by the branches taken within the last wait states that matter.
static uint64_t path_of(const sim_history *h) {
  uint64_t path = 0;
  for (unsigned i = 1; i <= SIM_PATHS && i <= h->next_branch; ++i) {
    unsigned slot = (h->next_branch - i) % SIM_PATHS;
    if (h->states - h->branch_at[slot] > SIM_WAIT_STATES_FAR) break;
    path = (path ^ (h->branch[slot] + 1)) * 0x9e3779b97f4a7c15u;
  }
  return path;
}

void sim_check_branched(sim_wave *w, const sim_op *op) {
  sim_history *h = &sim_check_wave_of(w)->history;
  unsigned slot = h->next_branch++ % SIM_PATHS;
  h->branch_at[slot] = h->states;
  h->branch[slot] = (uint64_t)sim_index_of(w, op) << 32 | w->pc;
  h->path = path_of(h);
}

static void report(sim_wave *w, const sim_op *op, uint32_t producer, unsigned needed, unsigned passed,
                   const char *why) {
  sim_finding *found = sim_find(w, SIM_FINDING_WAIT_STATES, sim_index_of(w, op), producer, -1);
  if (!found) return;
  snprintf(found->detail, sizeof found->detail, "%s needs %u wait states, there are %u", why, needed, passed);
  snprintf(found->remedy, sizeof found->remedy, "s_nop %u is needed before this", needed - passed - 1);
}

static void look_back(sim_wave *w, const sim_op *op, const sim_history *h) {
  const sim_op *ops = w->group->program->ops;
  const sim_op_facts *facts = sim_check_group_of(w->group)->check->facts;
  const sim_chip chip = w->group->program->chip;
  for (uint32_t i = 1; i <= SIM_HISTORY && i <= h->count; ++i) {
    const uint32_t slot = (h->count - i) % SIM_HISTORY, producer = h->op[slot];
    const uint64_t passed = h->states - h->at[slot] - sim_wait_states_of(&ops[producer]);
    if (passed >= SIM_WAIT_STATES_FAR) return;
    if (facts[producer].horizon <= passed) continue;
    const char *why = "";
    const unsigned needed = sim_wait_states_needed(chip, &ops[producer], op, &why);
    if (needed > passed) report(w, op, producer, needed, (unsigned)passed, why);
  }
}

void sim_check_wait_states(sim_wave *w, const sim_op *op, const sim_op_facts *f) {
  (void)f;
  sim_check_group *g = sim_check_group_of(w->group);
  sim_history *h = &sim_check_wave_of(w)->history;
  const uint32_t index = sim_index_of(w, op);
  if (h->path && h->states - h->branch_at[(h->next_branch - 1) % SIM_PATHS] > SIM_WAIT_STATES_FAR)
    h->path = 0;
  // A wave that has just begun has a path of its own.
  const uint64_t path = h->count < SIM_HISTORY ? ~0ull - h->count : h->path + 1;
  uint64_t *verified = &g->verified[2 * index];
  if (verified[0] != path && verified[1] != path) {
    const size_t before = g->finding_count;
    look_back(w, op, h);
    // What is wrong is counted each time.
    if (g->finding_count == before) verified[g->verified_next[index]++ & 1] = path;
  }
  h->op[h->count % SIM_HISTORY] = index;
  h->at[h->count % SIM_HISTORY] = h->states;
  ++h->count;
  h->states += op->info->klass == SIM_CLASS_OTHER ? sim_wait_states_of(op) : 1;
}
