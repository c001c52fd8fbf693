// SPDX-License-Identifier: MIT
// As many work-groups as the device holds are resident at once, and each runs for a number of rounds at a
// time: one that waits for another makes no progress but does not hold up the others. The next work-group in
// dispatch order gets a place that becomes free, as on hardware. The first fault in time ends the launch.
#include "sim/exec/resident.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/exec/monitor.h"
#include "sim/exec/slot.h"

// A work-group runs so many rounds (one instruction of each wave) at a time: many, so that a launch spends
// its time on running; one where the schedule is to keep all waves of the device in step, and few cycles
// against the latency of memory where it counts them.
enum { TURN = 256, TURN_CYCLES = 32 };

typedef struct crowd {
  const sim_dispatch *dispatch;
  sim_result *result;
  sim_slot *slots;
  bool *taken;
  uint32_t *polled;  // idle polls of each work-group when all were last looked at anew (all_poll)
  size_t count;      // of slots
  uint64_t next, rng;
  sim_lds_count *lds_counts;
  struct sim_grid grid;
} crowd;

uint64_t sim_resident_limit(const sim_dispatch *d) {
  const sim_launch *l = d->launch;
  uint32_t per_cu =
      sim_occupancy(l->machine, l->kernel, l->block[0] * l->block[1] * l->block[2], l->dynamic_lds);
  uint64_t limit = (uint64_t)per_cu * l->machine->cus;
  return limit ? limit : 1;
}

static uint64_t turn_length(crowd *c, const sim_group *g) {
  if (g->schedule == SIM_LOCKSTEP) return 1;
  if (g->schedule == SIM_TIMED) return TURN_CYCLES;
  if (g->schedule != SIM_RANDOM) return TURN;
  c->rng = c->rng * 6364136223846793005u + 1442695040888963407u;
  return 1 + (c->rng >> 33) % (2 * TURN);
}

static void begin(crowd *c, size_t i) {
  const sim_dispatch *d = c->dispatch;
  uint64_t index = c->next++;
  // Every work-group runs to its end: others may wait for it.
  const sim_selection *s = d->launch->selection;
  sim_share share = s ? s->whole(s->context, index) : (sim_share){.extent = SIM_EXTENT_WHOLE};
  sim_slot_begin(&c->slots[i], d, index, &share, c->lds_counts);
  c->slots[i].group.grid = &c->grid;
  c->taken[i] = true;
  c->polled[i] = 0;
}

static bool ended(const sim_group *g) {
  for (uint32_t i = 0; i < g->wave_count; ++i)
    if (g->waves[i].state != SIM_WAVE_DONE) return false;
  return true;
}

static void keep_fault(crowd *c, const sim_group *g) {
  c->result->fault = g->fault;
  memcpy(c->result->report, g->report, sizeof c->result->report);
}

// Every work-group that is left waits at the grid's barrier, and the rest have ended.
static void fault_stuck(crowd *c) {
  for (size_t i = 0; i < c->count; ++i) {
    sim_group *g = &c->slots[i].group;
    for (uint32_t k = 0; c->taken[i] && k < g->wave_count; ++k) {
      sim_wave *w = &g->waves[k];
      if (w->state != SIM_WAVE_GRID) continue;
      sim_fault(w, SIM_FAULT_DEADLOCK, &g->program->ops[w->pc - 1], -1,
                "the wave waits at the barrier of the grid, %llu arrivals are missing and no wave is left to "
                "make them; "
                "every work-group must take part in every grid sync",
                (unsigned long long)c->grid.missing + 1);
      keep_fault(c, g);
      return;
    }
  }
}

// Returns whether every work-group has polled since memory was last changed, and since the host last had its
// chance to change it. One that computes meanwhile has not, however often it polled before.
static bool all_poll(const crowd *c) {
  for (size_t i = 0; i < c->count; ++i)
    if (c->taken[i] && c->slots[i].group.idle_polls <= c->polled[i]) return false;
  return true;
}

static void count_polls_from_here(crowd *c) {
  for (size_t i = 0; i < c->count; ++i) c->polled[i] = c->slots[i].group.idle_polls;
}

// Runs every resident work-group once. Returns false when none of them could run.
static bool sweep(crowd *c) {
  bool any = false, changed = false;
  for (size_t i = 0; i < c->count && !c->result->fault; ++i) {
    if (!c->taken[i]) {
      if (c->next == c->dispatch->groups) continue;
      begin(c, i);
    }
    sim_group *g = &c->slots[i].group;
    any |= sim_group_run_for(g, turn_length(c, g));
    changed |= g->moved || ended(g);
    if (g->fault) keep_fault(c, g);
    if (!g->fault && !ended(g)) continue;
    sim_monitor_count(c->dispatch->monitor, g);
    sim_slot_end(&c->slots[i]);
    sim_slot_count(&c->slots[i], c->result);
    c->taken[i] = false;
  }
  const bool wait = any && !changed && all_poll(c);
  if (wait && c->dispatch->launch->give_way) c->dispatch->launch->give_way();
  if (wait || changed) count_polls_from_here(c);
  return any;
}

void sim_resident_run(const sim_dispatch *d, sim_result *result) {
  uint64_t limit = sim_resident_limit(d);
  crowd c = {.dispatch = d, .result = result, .rng = d->seed, .grid = {.missing = d->groups - 1}};
  size_t count = (size_t)(d->groups < limit ? d->groups : limit);
  bool tally = d->launch->count_lds || d->launch->selection;
  c.slots = calloc(count, sizeof *c.slots);
  c.taken = calloc(count, sizeof *c.taken);
  c.polled = calloc(count, sizeof *c.polled);
  if (tally) c.lds_counts = calloc(d->launch->program->op_count + 1u, sizeof *c.lds_counts);
  bool memory = c.slots && c.taken && c.polled && (!tally || c.lds_counts);
  while (memory && c.count < count) memory = sim_slot_open(&c.slots[c.count++], d);
  if (!memory) {
    result->fault = SIM_FAULT_PROGRAM;
    snprintf(
        result->report, sizeof result->report,
        "wavetile sim: out of host memory for the %zu work-groups of kernel %s that run at the same time\n",
        count, d->launch->kernel->name);
  }
  while (memory && !result->fault && result->workgroups < d->groups)
    if (!sweep(&c) && result->workgroups < d->groups) fault_stuck(&c);
  for (size_t i = 0; i < c.count; ++i) sim_slot_close(&c.slots[i], d);
  free(c.slots);
  free(c.taken);
  free(c.polled);
  if (!result->fault && d->launch->count_lds)
    result->lds_counts = c.lds_counts;
  else
    free(c.lds_counts);
}
