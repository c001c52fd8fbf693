// SPDX-License-Identifier: MIT
// The LDS bank conflicts of all launches of the process, for WT_SIM_LDS_CONFLICTS and wtSimLdsConflicts.
#ifndef SIM_REPORT_LDS_REPORT_H
#define SIM_REPORT_LDS_REPORT_H

#include <stdbool.h>

#include "sim/exec/launch.h"

// Returns whether launches shall count bank conflicts.
bool sim_report_counts_lds(void);
// Adds the counts of a launch that has ended.
void sim_report_lds(const sim_launch *launch, const sim_lds_count *counts);

#endif
