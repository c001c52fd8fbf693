// SPDX-License-Identifier: MIT
// Predicts how long a launch takes: plan which work-groups to trace, run the launch (sim/exec), then replay
// the traces on a model of one die, cycle by cycle. docs/timing.md describes the model.
#ifndef SIM_TIMING_TIMING_H
#define SIM_TIMING_TIMING_H

#include <pthread.h>

#include "sim/exec/launch.h"
#include "sim/isa/program.h"
#include "sim/timing/trace.h"

// Why a wave did not issue.
typedef enum sim_stall {
  SIM_STALL_MATRIX,     // the matrix pipe is busy, or a result of it is not there yet
  SIM_STALL_VALU,       // the result of another vector instruction is not there yet
  SIM_STALL_LDS_WAIT,   // s_waitcnt for LDS or scalar memory
  SIM_STALL_LDS_QUEUE,  // the LDS queue of the pair of SIMDs is full
  SIM_STALL_VMEM_WAIT,  // s_waitcnt for vector memory
  SIM_STALL_TCP,        // the request queue in front of the L1 cache is full
  SIM_STALL_BARRIER,
  SIM_STALL_ISSUE,  // another wave or the operand read of an MFMA has the port or the slot
  SIM_STALL_FETCH,  // branches and instructions that cross a fetch window
  SIM_STALL_SLEEP,  // s_nop, s_sleep
  SIM_STALLS
} sim_stall;

extern const char *const sim_stall_names[SIM_STALLS];

// How much of a launch is executed for a prediction.
typedef enum sim_timing_mode {
  SIM_TIMING_OFF,
  SIM_TIMING_ALL,   // everything
  SIM_TIMING_ONLY,  // the work-groups of the plan: memory then is not what the launch computes
  SIM_TIMING_DIE    // of those, the ones of the first die, as if the others were idle
} sim_timing_mode;

// What is kept of a work-group that is not timed in detail.
typedef struct sim_group_summary {
  uint64_t instructions;  // of all waves; 0: it was not executed to its end
  uint64_t signature;  // of its first accesses, from the first on; work-groups of equal signature are alike
  sim_trace_touch touch[SIM_TRACE_ALLOCATIONS];  // in the order of waves; those that are 0 are none
} sim_group_summary;

enum { SIM_TIMING_BUCKETS = 40 * 16 };  // 16 to the octave of a work-group's instructions

// A work-group of the first die that came later than those of the plan, as an example of its size.
typedef struct sim_timing_example {
  uint64_t index;
  sim_group_trace trace;
} sim_timing_example;

// Work-groups to trace. Those of the first die are timed in detail; the others run in step with them and fill
// the last-level cache. Where the launch has more, they are summarised. SIM_TIMING_ONLY begins with those of
// the first die and one of each other: if they are alike, all others are only begun.
typedef struct sim_timing_plan {
  uint64_t dies, count;  // count: of each die; work-group i runs on die i modulo dies
  sim_timing_mode mode;
  bool repeats;             // the LLC has what a launch that was the same left there
  bool more;                // the launch has more than dies * count
  sim_group_trace *groups;  // the first dies * count of the launch; without waves: not executed to its end
  sim_group_summary *summaries;  // of all work-groups of the launch; NULL when all are traced
  sim_timing_example *examples;  // SIM_TIMING_BUCKETS, by size; NULL as above
  uint64_t total, budget;        // work-groups of the launch; instructions of one that is only begun
  int alike;                     // the first executed are equally large: 1 yes, -1 no, 0 not looked at
  pthread_mutex_t lock;          // of examples and alike
} sim_timing_plan;

// How a work-group is executed for a plan.
typedef enum sim_timing_part {
  SIM_TIMING_UNTRACED,
  SIM_TIMING_DETAIL,   // traced, and the trace kept
  SIM_TIMING_SUMMARY,  // traced for its summary
  SIM_TIMING_PROBE,    // only its beginning, for its summary
  SIM_TIMING_SKIP
} sim_timing_part;

typedef struct sim_timing_result {
  bool valid;         // false: host memory ran out, or the launch faulted
  double cycles;      // first wave to last wave of the launch
  double write_back;  // cycles to write the dirty lines of the L2 back, after that
  double seconds;     // both, at the clock the power model gives
  double clock_mhz;
  double loop_efficiency;  // busy share of the matrix pipes while waves are in the hot loop; 0: there is none
  double matrix_share;     // of the whole launch
  double stall[SIM_STALLS];  // wave-cycles, of all waves timed in detail
  double wave_cycles;        // ... of their residence
  uint64_t waves, groups;    // timed in detail
  // Of the waves that read their clock (s_memtime) more than once: cycles from the first time to the last.
  double clock_cycles;
  uint64_t clock_waves;
  uint64_t instructions, lds_conflicts;
  // Lines looked up; of L2 and LLC by all dies of the whole launch where it is more than what is timed, else
  // by the first die.
  uint64_t tcp_lines, tcp_hits, l2_lines, l2_hits, llc_lines, llc_hits;
  uint64_t written_lines;                      // from the L2 of the first die to memory
  uint64_t read_lines;                         // that the L2s of all dies asked for
  uint64_t hbm_read_bytes, hbm_written_bytes;  // for all dies; the whole launch as above
  double hbm_share;                            // of the launch's work-groups, those these bytes are of
  double timed_share;      // of the launch's instructions, those that were timed in detail
  uint64_t unlike_groups;  // whose lines were taken from others that are not alike
} sim_timing_result;

// Of several launches, one after the other.
typedef struct sim_timing_total {
  uint64_t launches;
  double cycles, seconds;     // summed
  sim_timing_result longest;  // of them
} sim_timing_total;

// What was seen of one op of the program by the waves timed in detail.
typedef struct sim_timing_op {
  uint64_t issued;             // times
  uint64_t stall[SIM_STALLS];  // wave-cycles lost before it issued, or at it
  // MFMA: issues by waves in a later turn of the hot loop than the first, and for how many cycles before them
  // the matrix pipe had nothing to do.
  uint64_t watched, idle;
  uint32_t unit, cycles;  // sim_unit; of its port or pipe
} sim_timing_op;

// One instruction a compute unit issued.
typedef struct sim_timing_issue {
  uint64_t cycle;
  uint32_t op, wave;     // wave: in the order of their start
  uint16_t simd, place;  // place: of the unit's 32 that the wave has
} sim_timing_issue;

// Issues of the first compute unit from a cycle on, until the array is full.
typedef struct sim_timing_issues {
  uint64_t from;
  size_t count, capacity;
  sim_timing_issue *issue;
} sim_timing_issues;

// More of a launch than its result; the caller owns the arrays.
typedef struct sim_timing_profile {
  sim_timing_op *ops;  // program->op_count + 1, zeroed
  sim_timing_issues issues;
  uint32_t loop_branch;  // op that closes the hot loop; UINT32_MAX: there is none
} sim_timing_profile;

// A plan for the launch; false when host memory runs out. Free with sim_timing_plan_free.
bool sim_timing_plan_make(sim_timing_plan *plan, const sim_launch *launch, sim_timing_mode mode,
                          bool repeats);
void sim_timing_plan_free(sim_timing_plan *plan);
// The work-group that is executed as number `position`: every one has its turn.
uint64_t sim_timing_nth(const sim_timing_plan *plan, uint64_t position);
// So many must have ended before the part of the one at this position is asked for; 0: none.
uint64_t sim_timing_waits_for(const sim_timing_plan *plan, uint64_t position);
sim_timing_part sim_timing_part_of(sim_timing_plan *plan, uint64_t group);
// The same where every work-group is executed to its end whatever the mode.
sim_timing_part sim_timing_part_whole(const sim_timing_plan *plan, uint64_t group);
// Takes the trace of a work-group that has ended, or of one that was begun. Its memory is the plan's then.
void sim_timing_take(sim_timing_plan *plan, const sim_program *program, uint64_t group, sim_timing_part part,
                     sim_group_trace *trace, uint64_t instructions);

// The allocation of a line as the work-group touched it; NULL when it did not.
const sim_trace_touch *sim_summary_touch(const sim_group_summary *s, uint64_t line);

// Which of the examples a work-group of so many instructions belongs to.
uint32_t sim_timing_bucket(uint64_t instructions);

// Replays what the launch has left in launch->timing; `profile` may be NULL.
void sim_timing_run(const sim_launch *launch, sim_timing_profile *profile, sim_timing_result *result);

#endif
