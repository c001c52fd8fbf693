// SPDX-License-Identifier: MIT
// Predicts how long a launch takes: plan which work-groups to trace, run the launch (sim/exec), then replay
// the traces on a model of one die, cycle by cycle. docs/timing.md describes the model.
#ifndef SIM_TIMING_TIMING_H
#define SIM_TIMING_TIMING_H

#include <pthread.h>

#include "include/wavetile_sim.h"
#include "sim/exec/launch.h"
#include "sim/isa/program.h"
#include "sim/timing/trace.h"

// These are the texts of WT_SIM_STALL_LIST.
extern const char *const sim_stall_names[WT_SIM_STALLS];

// Describes what is kept of a work-group that is not timed in detail.
typedef struct sim_group_summary {
  uint64_t instructions;  // of all waves; 0: it was not executed to its end
  // It is made of its first accesses: in which allocation each is, and how far from the first one there.
  // Work-groups of equal signature are alike
  uint64_t signature;
  sim_trace_touch touch[SIM_TRACE_ALLOCATIONS];  // in the order of waves; entries that are 0 are unused
  uint8_t wave[SIM_TRACE_ALLOCATIONS];           // whose touch it is
} sim_group_summary;

enum { SIM_TIMING_BUCKETS = 40 * 16 };  // 16 sizes for each doubling of a work-group's instructions

// Describes a work-group of the first die that came later than those of the plan, as an example of its size.
typedef struct sim_timing_example {
  uint64_t index;
  sim_group_trace trace;
} sim_timing_example;

// Says whether the work-groups that are executed first stand for all others.
typedef enum sim_timing_others {
  SIM_OTHERS_UNKNOWN,  // they have not been looked at yet
  SIM_OTHERS_ALIKE,    // they are equally large
  // They are not, but those of one round are, so that each is as large as that of the first die
  SIM_OTHERS_LIKE_FIRST_DIE,
  SIM_OTHERS_DIFFER,
  SIM_OTHERS_FEW,        // they and the first have so few instructions together that all are executed
  SIM_OTHERS_WAITED_FOR  // one of the first has not ended: it waits for others, so that all must be executed
} sim_timing_others;

// Describes the work-groups to trace. The first die's are timed in detail; the others run in step with them
// and fill the last-level cache. Where the launch has more, they are summarised. In mode WT_SIM_TIMING_ONLY
// those of the first die and one of each other die are executed first: if they are alike, all others are only
// begun, unless the launch has few instructions. If those of the first die alone differ, one more of each
// other die is executed; if these are as large as those of the first die, all of the first die are executed,
// and the others are only begun.
typedef struct sim_timing_plan {
  sim_selection selection;  // what the executor asks of the plan
  uint64_t dies, count;     // count: work-groups of each die; work-group i runs on die i modulo dies
  wt_sim_timing_mode mode;
  wt_sim_timing_repeat repeats;  // what the LLC begins with
  bool more;                     // the launch has more than dies * count work-groups
  // The first dies * count of the launch; one without waves was not executed to its end.
  sim_group_trace *groups;
  sim_group_summary *summaries;  // of all work-groups of the launch; NULL when all are traced
  sim_timing_example *examples;  // SIM_TIMING_BUCKETS, by size; NULL when all are traced
  sim_trace_parts parts;
  uint64_t total, budget;  // work-groups of the launch; instructions that one executes which is only begun
  sim_timing_others others;
  bool confirmed;        // `others` is final
  pthread_mutex_t lock;  // protects examples, others and confirmed
} sim_timing_plan;

// Says how a work-group is executed for a plan.
typedef enum sim_timing_part {
  SIM_TIMING_UNTRACED,
  SIM_TIMING_DETAIL,   // traced, and the trace kept
  SIM_TIMING_SUMMARY,  // traced for its summary
  SIM_TIMING_PROBE,    // only its beginning, for its summary
  SIM_TIMING_SKIP
} sim_timing_part;

// Says what was seen of one op of the program by the waves timed in detail.
typedef struct sim_timing_op {
  uint64_t issued;                // times
  uint64_t stall[WT_SIM_STALLS];  // wave-cycles lost before it issued, or at it
  // MFMA: how often waves issued it in a later iteration of the hot loop than the first, and for how many
  // cycles before these issues the matrix pipe had nothing to do.
  uint64_t watched, idle;
  uint32_t unit, cycles;  // sim_unit; cycles that it occupies the unit's port or pipe
} sim_timing_op;

// Describes one instruction a compute unit issued.
typedef struct sim_timing_issue {
  uint64_t cycle;
  uint32_t op, wave;     // `wave` counts waves in the order of their start
  uint16_t simd, place;  // `place` is which of the unit's 32 places the wave has
} sim_timing_issue;

// Issues of the first compute unit from a cycle on, until the array is full.
typedef struct sim_timing_issues {
  uint64_t from;
  size_t count, capacity;
  sim_timing_issue *issue;
} sim_timing_issues;

// Holds more of a launch than its result; the caller owns the arrays.
typedef struct sim_timing_profile {
  sim_timing_op *ops;  // program->op_count + 1, zeroed
  sim_timing_issues issues;
  uint32_t loop_branch;  // index of the op that closes the hot loop; UINT32_MAX: there is none
} sim_timing_profile;

// Makes a plan for the launch. Returns false when host memory runs out. The caller frees the plan with
// sim_timing_plan_free.
bool sim_timing_plan_make(sim_timing_plan *plan, const sim_launch *launch, wt_sim_timing_mode mode,
                          wt_sim_timing_repeat repeats);
void sim_timing_plan_free(sim_timing_plan *plan);
// Returns the work-group that is executed as number `position`. Each work-group has one position.
uint64_t sim_timing_nth(const sim_timing_plan *plan, uint64_t position);
// Returns how many work-groups must have ended before the part of the one at this position is asked for; 0:
// none.
uint64_t sim_timing_waits_for(const sim_timing_plan *plan, uint64_t position);
sim_timing_part sim_timing_part_of(sim_timing_plan *plan, uint64_t group);
// Returns the part of a work-group where every one is executed to its end whatever the mode.
sim_timing_part sim_timing_part_whole(const sim_timing_plan *plan, uint64_t group);
// Takes the trace of a work-group that has ended, or of one that was only begun. The plan then owns its
// memory.
void sim_timing_take(sim_timing_plan *plan, const sim_program *program, uint64_t group, sim_timing_part part,
                     sim_group_trace *trace, uint64_t instructions);
// This is the tracer, an observer of the executor whose context is a plan.
extern const sim_observer sim_timing_observer;
// Lets the plan decide what of a launch is executed, and lets the tracer watch that. The plan must outlive
// the execution.
void sim_timing_attach(sim_timing_plan *plan, sim_launch *launch);

// Returns the instructions of a work-group, or of the one that it is as large as; 0: unknown.
uint64_t sim_timing_instructions(const sim_timing_plan *plan, uint64_t group);
// Returns whether a launch of WT_SIM_TIMING_ONLY has left what it computes in memory, as it has few
// instructions.
bool sim_timing_leaves_all(const sim_timing_plan *plan);
// Returns how the work-group touched the allocation that a line is in; NULL when it did not.
const sim_trace_touch *sim_summary_touch(const sim_group_summary *s, uint64_t line);

// Returns the index of the example for work-groups of so many instructions.
uint32_t sim_timing_bucket(uint64_t instructions);

// Replays what the launch has left in the plan, and fills the result and the profile (which may be NULL).
void sim_timing_run(const sim_launch *launch, const sim_timing_plan *plan, sim_timing_profile *profile,
                    wt_sim_timing_result *result);

#endif
