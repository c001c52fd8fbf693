// SPDX-License-Identifier: MIT
// Tells the tally that WT_SIM_TALLY names, if it does, what this process did (sim/report/tally.h).
#ifndef SIM_REPORT_PROCESS_TALLY_H
#define SIM_REPORT_PROCESS_TALLY_H

#include "sim/check/finding.h"
#include "sim/machine/machine.h"

// Called when this process makes its first HIP call.
void sim_tally_begin(void);
void sim_tally_launch(const sim_machine *machine, bool faulted, uint64_t instructions, uint64_t workgroups);
void sim_tally_predicted(double seconds);
// Must be called when check mode finds something at a place that was not known before.
void sim_tally_finding(sim_finding_kind kind);

#endif
