// SPDX-License-Identifier: MIT
// Predicted times of launches, for WT_SIM_TIMING, wtSimTiming and events.
#ifndef SIM_HIP_TIMING_H
#define SIM_HIP_TIMING_H

#include "sim/hip/hip.h"
#include "sim/hip/profile.h"
#include "sim/timing/timing.h"

wt_sim_timing_mode sim_hip_timing(void);
// Whether launches are predicted as repeats of themselves.
bool sim_hip_timing_repeats(void);
// A launch that has ended: predicts, reports if the environment asks, or records for a profile (may be NULL),
// and moves the device's clock on.
void sim_hip_timing_add(const sim_launch *launch, const sim_hip_profile *profile,
                        const sim_hip_device *device);
// Moves it on by what is known already.
void sim_hip_timing_take(const wt_sim_timing_result *result, const sim_hip_device *device);
// The device's clock: nanoseconds of predicted time.
uint64_t sim_hip_timing_now(const sim_hip_device *device);

#endif
