// SPDX-License-Identifier: MIT
// Records launches for `wavetile prof`: WT_SIM_PROFILE names the folder for them.
#ifndef SIM_REPORT_PROFILE_LAUNCHES_H
#define SIM_REPORT_PROFILE_LAUNCHES_H

#include "sim/timing/timing.h"

// Says what is done with a launch while profiling.
typedef struct sim_profile_choice {
  bool timed;                  // it is timed in detail; else it is taken as equal to one that was
  bool executed;               // it is executed all the same, as later launches may read what it leaves
  uint64_t shape;              // number of this launch, or of the one that it is taken as
  wt_sim_timing_result equal;  // what the launch took that it is taken as
} sim_profile_choice;

bool sim_profiling(void);
sim_profile_choice sim_profile_begin(const sim_launch *launch);
// Must be called when a timed launch has ended, whose traces are in the plan. Gives what it took and records
// it.
void sim_profile_timed(const sim_launch *launch, const sim_timing_plan *plan,
                       const sim_profile_choice *profile, wt_sim_timing_result *result);

#endif
