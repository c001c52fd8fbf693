// SPDX-License-Identifier: MIT
// The LDS bank conflicts of all launches of the process, for WT_SIM_LDS_CONFLICTS and wtSimLdsConflicts.
#ifndef SIM_HIP_LDS_CONFLICTS_H
#define SIM_HIP_LDS_CONFLICTS_H

#include <stdbool.h>

#include "sim/exec/launch.h"

// Returns whether launches shall count bank conflicts.
bool sim_hip_lds_counting(void);
// Adds the counts of a launch that has ended.
void sim_hip_lds_add(const sim_launch *launch, const sim_lds_count *counts);

#endif
