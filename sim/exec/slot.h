// SPDX-License-Identifier: MIT
// Describes a place for one work-group: its waves, LDS and scratch. Work-groups run in it one after the
// other.
#ifndef SIM_EXEC_SLOT_H
#define SIM_EXEC_SLOT_H

#include "sim/exec/dispatch.h"

typedef struct sim_slot {
  sim_group group;
  sim_wave *waves;
  uint8_t *lds, *scratch;
  void *state[SIM_SEATS];  // of the launch's observers
} sim_slot;

// Allocates memory for work-groups of the launch. Returns false when host memory runs out. The caller closes
// the slot in either case.
bool sim_slot_open(sim_slot *slot, const sim_dispatch *d);
void sim_slot_close(sim_slot *slot, const sim_dispatch *d);
// Prepares work-group `index` at its first instruction. Its LDS accesses are counted in `lds_counts`, unless
// that is NULL.
void sim_slot_begin(sim_slot *slot, const sim_dispatch *d, uint64_t index, const sim_share *share,
                    sim_lds_count *lds_counts);
// Tells the observers of a work-group that it has ended.
void sim_slot_end(sim_slot *slot);
// Adds what the work-group has executed to the launch's counts.
void sim_slot_count(const sim_slot *slot, sim_result *result);

#endif
