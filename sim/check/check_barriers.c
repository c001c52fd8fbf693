// SPDX-License-Identifier: MIT
// Finds barriers that not all waves of a work-group take, and work-groups that never end.
#include <stdio.h>

#include "sim/check/state.h"

// Hardware counts a wave that has ended as arrived, so that nothing hangs; but what the others expect of it
// is not done.
static void compare_counts(sim_group *g) {
  const sim_check_wave *waves = sim_check_group_of(g)->waves;
  for (uint32_t i = 0; i < g->wave_count; ++i)
    if (g->waves[i].state != SIM_WAVE_DONE) return;
  for (uint32_t i = 1; i < g->wave_count; ++i) {
    if (waves[i].barriers == waves[0].barriers) continue;
    const uint32_t few = waves[i].barriers < waves[0].barriers ? i : 0, many = few ? 0 : i;
    const uint32_t last = g->waves[few].pc ? g->waves[few].pc - 1 : 0;
    sim_finding *found = sim_find(&g->waves[few], SIM_FINDING_BARRIER, last, SIM_NO_OP, -1);
    if (!found) return;
    snprintf(found->detail, sizeof found->detail, "wave %u ends after %u barriers, wave %u after %u", few,
             waves[few].barriers, many, waves[many].barriers);
    snprintf(found->remedy, sizeof found->remedy, "every wave of a work-group has to take every s_barrier");
    return;
  }
}

// The budget is used up: name a wave that runs and one that waits for it.
static void explain_deadlock(sim_group *g) {
  const sim_wave *running = NULL, *waiting = NULL;
  for (uint32_t i = 0; i < g->wave_count; ++i) {
    if (g->waves[i].state == SIM_WAVE_RUN && !running) running = &g->waves[i];
    if (g->waves[i].state == SIM_WAVE_BARRIER && !waiting) waiting = &g->waves[i];
  }
  if (!running) return;
  sim_finding *found = sim_find(&g->waves[running->id], SIM_FINDING_DEADLOCK, running->pc,
                                waiting && waiting->pc ? waiting->pc - 1 : SIM_NO_OP, -1);
  if (!found) return;
  if (waiting)
    snprintf(found->detail, sizeof found->detail, "wave %u never ends while wave %u waits at a barrier",
             running->id, waiting->id);
  else
    snprintf(found->detail, sizeof found->detail, "wave %u never ends", running->id);
  snprintf(found->remedy, sizeof found->remedy, "see what its loop waits for");
}

void sim_check_barrier_end(sim_group *g) {
  if (g->fault == SIM_FAULT_BUDGET || g->fault == SIM_FAULT_DEADLOCK) explain_deadlock(g);
  if (!g->fault) compare_counts(g);
}
