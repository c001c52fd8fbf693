// SPDX-License-Identifier: MIT
// Predicted times of launches, for WT_SIM_TIMING, wtSimTiming and events.
#ifndef SIM_REPORT_TIMING_REPORT_H
#define SIM_REPORT_TIMING_REPORT_H

#include "sim/report/profile_launches.h"
#include "sim/timing/timing.h"

wt_sim_timing_mode sim_report_timing(void);
// Returns what launches find in the last-level cache.
wt_sim_timing_repeat sim_report_timing_repeats(void);
// Returns how often the mode was set, which empties the last-level cache.
uint64_t sim_report_timing_times_set(void);
// Serves a launch that has ended: predicts its time, reports it if the environment asks for that, records it
// for a profile (which may be NULL), and advances the device's clock.
void sim_report_timing_add(const sim_launch *launch, const sim_timing_plan *plan,
                           const sim_profile_choice *profile, int device);
// Advances the device's clock by a time that is known already.
void sim_report_timing_take(const wt_sim_timing_result *result, int device);
// Returns the device's clock in nanoseconds of predicted time.
uint64_t sim_report_timing_now(int device);

#endif
