// SPDX-License-Identifier: MIT
// What check mode has found in all launches of the process, for WT_SIM_CHECK, WT_SIM_REPORT and wtSimCheck.
#ifndef SIM_REPORT_CHECK_REPORT_H
#define SIM_REPORT_CHECK_REPORT_H

#include <stdbool.h>

#include "sim/check/check.h"
#include "sim/exec/launch.h"

// Returns whether launches shall be checked.
bool sim_report_checking(void);
// Adds the findings of a launch that has ended, faulted or not, and frees them. NULL stands for a launch for
// whose check host memory ran out.
void sim_report_findings(const sim_launch *launch, sim_check *check);

#endif
