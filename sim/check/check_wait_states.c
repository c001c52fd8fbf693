// SPDX-License-Identifier: MIT
// Software wait states between the instructions that a wave executes. What they are depends only on the path
// through the last few instructions, so that an op is looked at once for each such path.
#include <stdio.h>

#include "sim/check/state.h"

// Which instruction waits for which depends on what was executed in this many wait states: those that the
// table looks back, and those for which a matrix instruction before them held the pipe.
enum { FAR = SIM_WAIT_STATES_FAR + SIM_WAIT_STATES_MOST_HELD };

// Identifies the path by the branches taken within the last wait states that matter.
static uint64_t path_of(const sim_history *h) {
  uint64_t path = 0;
  for (unsigned i = 1; i <= SIM_PATHS && i <= h->next_branch; ++i) {
    unsigned slot = (h->next_branch - i) % SIM_PATHS;
    if (h->states - h->branch_at[slot] > FAR) break;
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

static void report(sim_wave *w, const sim_op *op, uint32_t producer, const sim_wait_need *need,
                   unsigned passed) {
  const bool error = passed < need->hard.enough;
  const sim_wait_rule *rule = error ? &need->hard : &need->table;
  sim_finding *found =
      sim_find(w, error ? SIM_FINDING_WAIT_STATES : SIM_FINDING_TABLE, sim_index_of(w, op), producer, -1);
  if (!found) return;
  found->rule = rule->why;
  snprintf(found->detail, sizeof found->detail, "%s needs %u wait states%s, there are %u", rule->why,
           rule->states, error ? "" : " by the manual's table", passed);
  snprintf(found->remedy, sizeof found->remedy, "s_nop %u is needed before this%s", rule->states - passed - 1,
           error ? "" : ", though production code does without");
}

static void redefine(uint64_t sgprs[2], const sim_op_facts *f) {
  for (unsigned i = 0; i < f->write_count; ++i)
    for (unsigned reg = f->write[i].first; reg < (unsigned)f->write[i].first + f->write[i].count; ++reg)
      if (reg >= SIM_REG_SGPR) sgprs[(reg - SIM_REG_SGPR) / 64] |= 1ull << (reg & 63);
}

// Returns whether anything is wrong.
static bool look_back(sim_wave *w, const sim_op *op, const sim_history *h) {
  const sim_op *ops = w->group->program->ops;
  const sim_op_facts *facts = sim_check_group_of(w->group)->check->facts;
  const sim_chip chip = w->group->program->chip;
  uint64_t redefined[2] = {0, 0};
  bool wrong = false;
  for (uint32_t i = 1; i <= SIM_HISTORY && i <= h->count; ++i) {
    const uint32_t slot = (h->count - i) % SIM_HISTORY, producer = h->op[slot];
    const uint64_t passed = h->states - h->at[slot] - sim_wait_states_of(&ops[producer]);
    if (passed >= SIM_WAIT_STATES_FAR) break;
    if (facts[producer].horizon > passed) {
      const sim_wait_need need = sim_wait_states_needed(chip, &ops[producer], op, redefined);
      if (need.table.states > passed) {
        report(w, op, producer, &need, (unsigned)passed);
        wrong = true;
      }
    }
    redefine(redefined, &facts[producer]);
  }
  return wrong;
}

void sim_check_wait_states(sim_wave *w, const sim_op *op, const sim_op_facts *f) {
  (void)f;
  sim_check_group *g = sim_check_group_of(w->group);
  sim_history *h = &sim_check_wave_of(w)->history;
  const uint32_t index = sim_index_of(w, op);
  if (h->path && h->states - h->branch_at[(h->next_branch - 1) % SIM_PATHS] > FAR) h->path = 0;
  // A wave that has just begun has a path of its own.
  const uint64_t path = h->count < SIM_HISTORY ? ~0ull - h->count : h->path + 1;
  uint64_t *verified = &g->verified[2 * index];
  // What is wrong is counted each time.
  if (verified[0] != path && verified[1] != path && !look_back(w, op, h))
    verified[g->verified_next[index]++ & 1] = path;
  const unsigned held =
      op->info->klass == SIM_CLASS_MFMA ? sim_wait_states_held(w->group->program->chip, op) : 0;
  if (held) {  // it is issued when the one before has left the pipe
    if (h->states < h->pipe_free) h->states = h->pipe_free;
    h->pipe_free = h->states + held;
  }
  h->op[h->count % SIM_HISTORY] = index;
  h->at[h->count % SIM_HISTORY] = h->states;
  ++h->count;
  h->states += op->info->klass == SIM_CLASS_OTHER ? sim_wait_states_of(op) : 1;
}
