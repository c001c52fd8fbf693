// SPDX-License-Identifier: MIT
// Check mode: watches a launch for code that is right only by luck, whatever the schedule made of it. A model
// of its own says when each operation may still be in flight: until the program has waited for it. This
// header has what the executor calls, which it does only when check mode is on.
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "sim/check/finding.h"
#include "sim/isa/op.h"

typedef struct sim_group sim_group;
typedef struct sim_launch sim_launch;
typedef struct sim_check sim_check;              // one launch
typedef struct sim_check_group sim_check_group;  // one host thread's part: the work-group it runs

// The launch has `groups` work-groups of `waves` waves with `lds_bytes` bytes of LDS. Returns NULL when host
// memory runs out.
sim_check *sim_check_create(const sim_launch *launch, uint64_t groups, uint32_t waves, uint32_t lds_bytes);
void sim_check_free(sim_check *check);
// Gives the findings of all threads that have ended, in the order of the kernels' code, and returns their
// number. They live as long as the check.
size_t sim_check_findings(sim_check *check, const sim_finding **findings);

// Called when a host thread begins and ends. The first returns NULL when host memory runs out.
sim_check_group *sim_check_thread_begin(sim_check *check);
void sim_check_thread_end(sim_check_group *thread);

// Called when a work-group begins, whose waves are initialised, and when it has ended.
void sim_check_begin(sim_group *g);
void sim_check_end(sim_group *g);
// Called before and after each instruction.
void sim_check_before(sim_wave *w, const sim_op *op);
void sim_check_after(sim_wave *w, const sim_op *op);
// Called when the SGPR offset of a buffer access decides whether these lanes are in range.
void sim_check_range(sim_wave *w, const sim_op *op, uint64_t lanes);
// Called when a barrier is about to release the waves that wait at it.
void sim_check_release(sim_group *g);

#endif
