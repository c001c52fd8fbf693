// SPDX-License-Identifier: MIT
// Finds stand-ins for work-groups that were executed in part, or not traced: their lines are taken from one
// that is alike, and moved to where their own begin.
#ifndef SIM_TIMING_ALIKE_H
#define SIM_TIMING_ALIKE_H

#include "sim/timing/timing.h"

typedef struct sim_stand_in {
  uint64_t group;                // the work-group of the launch whose trace it is
  const sim_group_trace *trace;  // complete
  bool like;                     // false: there is none of this signature, so that another is taken
} sim_stand_in;

typedef struct sim_alike {
  const sim_timing_plan *plan;
  sim_stand_in *table;  // by signature
  size_t size;
} sim_alike;

// Collects the work-groups that the plan has traced to their end. Returns false when host memory runs out.
bool sim_alike_make(sim_alike *a, const sim_timing_plan *plan);
void sim_alike_free(sim_alike *a);
// Returns the work-group itself where it was traced, as all are in a plan without summaries; else one that is
// alike; else one of its size; else the first die's of its round; else the first.
sim_stand_in sim_alike_find(const sim_alike *a, uint64_t group);
// Returns the line of `group` that corresponds to this line of `like`. In allocations that `group` was not
// seen to touch, it has a part of its own.
uint64_t sim_alike_line(const sim_timing_plan *plan, uint64_t group, const sim_stand_in *like, uint64_t line);

#endif
