// SPDX-License-Identifier: MIT
// Work runs on threads of its own. What asks for sums over launches, or switches the counting of them on or
// off, waits for all work first, so that an answer does not depend on how far that has come.
#ifndef SIM_REPORT_FINISH_H
#define SIM_REPORT_FINISH_H

// Says how to wait for all work; nothing is waited for without that.
void sim_report_finishes_by(void (*wait)(void));
void sim_report_finish(void);

#endif
