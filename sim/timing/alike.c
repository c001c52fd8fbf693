// SPDX-License-Identifier: MIT
#include "sim/timing/alike.h"

#include <stdlib.h>

// Lines from one work-group's own part to the next one's: odd, so that they fill all sets.
#define UNSEEN_STEP UINT64_C(0x9e3779b1)

static bool complete(const sim_group_trace *trace) { return trace->waves && !trace->out_of_memory; }

static bool fits(const sim_alike *a, const sim_stand_in *entry, uint64_t group) {
  const sim_group_summary *other = &a->plan->summaries[entry->group];
  const uint64_t instructions = sim_timing_instructions(a->plan, group);
  return other->signature == a->plan->summaries[group].signature &&
         (!instructions || other->instructions == instructions);
}

static sim_stand_in *look_up(const sim_alike *a, uint64_t group) {
  size_t at = a->plan->summaries[group].signature % a->size;
  while (a->table[at].trace && !fits(a, &a->table[at], group)) at = (at + 1) % a->size;
  return &a->table[at];
}

static void add(sim_alike *a, uint64_t group, const sim_group_trace *trace) {
  if (!complete(trace)) return;
  sim_stand_in *entry = look_up(a, group);
  if (!entry->trace) *entry = (sim_stand_in){group, trace, true};
}

bool sim_alike_make(sim_alike *a, const sim_timing_plan *plan) {
  uint64_t traced = plan->count * plan->dies;
  *a = (sim_alike){.plan = plan, .size = 2 * (traced + SIM_TIMING_BUCKETS) + 1};
  if (!plan->summaries) return true;
  a->table = calloc(a->size, sizeof *a->table);
  for (uint64_t i = 0; a->table && i < traced; ++i) add(a, i, &plan->groups[i]);
  for (uint32_t i = 0; a->table && i < SIM_TIMING_BUCKETS; ++i)
    add(a, plan->examples[i].index, &plan->examples[i].trace);
  return a->table != NULL;
}

void sim_alike_free(sim_alike *a) { free(a->table); }

sim_stand_in sim_alike_find(const sim_alike *a, uint64_t group) {
  const sim_timing_plan *plan = a->plan;
  bool planned = group < plan->count * plan->dies;
  if (planned && complete(&plan->groups[group])) return (sim_stand_in){group, &plan->groups[group], true};
  if (a->table) {
    const uint64_t instructions = sim_timing_instructions(plan, group);
    const sim_timing_example *e = &plan->examples[sim_timing_bucket(instructions)];
    const sim_stand_in *found = look_up(a, group);
    if (found->trace) return *found;
    if (instructions && complete(&e->trace)) return (sim_stand_in){e->index, &e->trace, false};
  }
  uint64_t first = planned ? group / plan->dies * plan->dies : 0;
  return (sim_stand_in){first, &plan->groups[first], false};
}

static const sim_trace_touch *touch_of_wave(const sim_wave_trace *wave, uint64_t begin) {
  for (uint32_t i = 0; i < wave->touched; ++i)
    if (wave->touch[i].begin == begin) return &wave->touch[i];
  return NULL;
}

uint64_t sim_alike_line(const sim_timing_plan *plan, uint64_t group, const sim_stand_in *like,
                        uint64_t line) {
  if (group == like->group || !plan->summaries) return line;
  const sim_group_summary *own = &plan->summaries[group];
  const sim_trace_touch *there = sim_summary_touch(&plan->summaries[like->group], line);
  if (!there) return line;
  for (uint32_t i = 0; i < SIM_TRACE_ALLOCATIONS && own->touch[i].begin; ++i) {
    if (own->touch[i].begin != there->begin) continue;
    // A later wave of a work-group that is only begun may have come to the allocation before the first has.
    const sim_trace_touch *same = touch_of_wave(&like->trace->waves[own->wave[i]], there->begin);
    if (same) return line - same->first + own->touch[i].first;
  }
  return (UINT64_C(1) << 44) + group * UNSEEN_STEP + (line - there->first);
}
