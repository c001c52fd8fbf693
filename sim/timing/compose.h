// SPDX-License-Identifier: MIT
// Finds how long a whole launch takes from the work-groups timed in detail, by applying the dispatcher's
// rules to their durations.
#ifndef SIM_TIMING_COMPOSE_H
#define SIM_TIMING_COMPOSE_H

#include "sim/timing/timing.h"

// Says how long work-groups occupy their compute unit, by their number of instructions.
typedef struct sim_durations {
  struct {
    double cycles, instructions;
    uint64_t count;
  } bucket[SIM_TIMING_BUCKETS];  // sums over `count` work-groups
} sim_durations;

void sim_durations_add(sim_durations *d, uint64_t instructions, double cycles);
// Returns the duration of a work-group of so many instructions, in cycles. For a number that was never seen
// it is in proportion to the duration of the nearest number that was.
double sim_durations_of(const sim_durations *d, uint64_t instructions);

// Describes the places of a die, filled in the order of the launch.
typedef struct sim_schedule_state {
  const sim_machine *machine;
  uint32_t capacity;   // work-groups a compute unit holds
  double wave_cycles;  // cycles that starting a work-group takes its engine
  double *free_at;     // units * capacity, engine by engine
  double engine_free[8], last_start, end;
  uint64_t next;
} sim_schedule_state;

bool sim_schedule_make(sim_schedule_state *s, const sim_machine *machine, uint32_t capacity, uint32_t waves);
void sim_schedule_free(sim_schedule_state *s);
// Places the next work-group, which takes `cycles`. s->end is the time at which all given so far have ended.
void sim_schedule_next(sim_schedule_state *s, double cycles);

#endif
