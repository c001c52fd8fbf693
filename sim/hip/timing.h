// SPDX-License-Identifier: MIT
// Predicted times of launches, for WT_SIM_TIMING, wtSimTiming and events.
#ifndef SIM_HIP_TIMING_H
#define SIM_HIP_TIMING_H

#include "sim/hip/hip.h"
#include "sim/hip/profile.h"
#include "sim/timing/timing.h"

wt_sim_timing_mode sim_hip_timing(void);
// Returns whether launches are predicted as repeats of themselves.
bool sim_hip_timing_repeats(void);
// Called for a launch that has ended: predicts its time, reports it if the environment asks for that, records
// it for a profile (which may be NULL), and advances the device's clock.
void sim_hip_timing_add(const sim_launch *launch, const sim_hip_profile *profile,
                        const sim_hip_device *device);
// Advances the device's clock by a time that is known already.
void sim_hip_timing_take(const wt_sim_timing_result *result, const sim_hip_device *device);
// Returns the device's clock in nanoseconds of predicted time.
uint64_t sim_hip_timing_now(const sim_hip_device *device);

#endif
