// SPDX-License-Identifier: MIT
// Which work-groups a launch traces. Work-group i runs on die i modulo the number of dies (SHARK; PYHIP
// se-dispatch.md).
#include <stdlib.h>

#include "sim/timing/timing.h"

// The first fills the die, the second runs beside whatever replaces the first, the third keeps the die full
// until the second has ended: the steady rate is measured between the first and the second.
enum { ROUNDS = 3 };

bool sim_timing_plan_make(sim_timing_plan *plan, const sim_launch *launch, sim_timing_mode mode) {
  const sim_machine *m = launch->machine;
  uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  uint32_t items = launch->block[0] * launch->block[1] * launch->block[2];
  uint64_t resident =
      (uint64_t)sim_occupancy(m, launch->kernel, items, launch->dynamic_lds) * (m->cus / m->xcds);
  uint64_t of_die = (groups + m->xcds - 1) / m->xcds;
  *plan = (sim_timing_plan){.dies = m->xcds, .mode = mode};
  plan->count = of_die < ROUNDS * resident ? of_die : ROUNDS * resident;
  plan->groups = calloc(plan->count ? plan->count * plan->dies : 1, sizeof *plan->groups);
  return plan->groups != NULL;
}

void sim_timing_plan_free(sim_timing_plan *plan) {
  for (uint64_t i = 0; plan->groups && i < plan->count * plan->dies; ++i) sim_trace_free(&plan->groups[i]);
  free(plan->groups);
  plan->groups = NULL;
}

sim_group_trace *sim_timing_trace_of(const sim_timing_plan *plan, uint64_t group) {
  bool traced = group < plan->count * plan->dies && (plan->mode != SIM_TIMING_DIE || group % plan->dies == 0);
  return traced ? &plan->groups[group] : NULL;
}
