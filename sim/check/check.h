// SPDX-License-Identifier: MIT
// Check mode: watches a launch for code that is right only by luck, whatever the schedule made of it. A model
// of its own says when each operation may still be in flight: until the program has waited for it. It is
// an observer of the executor (sim/exec/observer.h).
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "sim/check/finding.h"
#include "sim/exec/observer.h"
#include "sim/isa/op.h"

typedef struct sim_launch sim_launch;
typedef struct sim_check sim_check;  // one launch

// Returns NULL when host memory runs out.
sim_check *sim_check_create(const sim_launch *launch);
void sim_check_free(sim_check *check);
// Gives the findings of all threads that have ended, in the order of the kernels' code, and returns their
// number. They live as long as the check.
size_t sim_check_findings(sim_check *check, const sim_finding **findings);

// The executor calls these functions. The context is a sim_check.
extern const sim_observer sim_check_observer;

#endif
