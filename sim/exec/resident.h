// SPDX-License-Identifier: MIT
// Work-groups that run at the same time and may wait for each other, as all those of a cooperative launch do.
#ifndef SIM_EXEC_RESIDENT_H
#define SIM_EXEC_RESIDENT_H

#include "sim/exec/dispatch.h"

// What the work-groups of a cooperative launch share: resource 0 of the global wave sync (GWS), which the
// driver gives to such a launch.
struct sim_grid {
  uint64_t missing;  // arrivals until the barrier opens, without the one that opens it
  uint64_t opened;   // number of times that it has opened
};

// Returns how many work-groups of this launch the device holds at a time.
uint64_t sim_resident_limit(const sim_dispatch *d);
// Runs all work-groups in alternation on one host thread, so that the outcome is always the same.
void sim_resident_run(const sim_dispatch *d, sim_result *result);

#endif
