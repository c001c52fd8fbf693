// SPDX-License-Identifier: MIT
// These are the calls that the simulated HIP runtime offers beside the HIP API: counts of what was executed,
// LDS bank conflicts, check mode and predicted times. The header serves C11 and C++ and needs no other header
// of the project.
//
// ROCm's runtime has none of these functions. A program that shall also run on a GPU asks for them by name,
// dlsym(RTLD_DEFAULT, "wtSimTotals"), and does without where the answer is NULL; a program linked with the
// simulated runtime alone calls them.
//
// Every function may be called from any thread. Counts are of the whole process, all devices together, and
// cover the launches that have ended: synchronise first. Unless a function says otherwise it returns 0, or 1
// (hipErrorInvalidValue) for an argument that is not allowed; then it has changed nothing, and one sentence
// on standard error says what was wrong.
//
// What is predicted comes from a model of the hardware (docs/timing.md of the project); it was not measured.
#ifndef WAVETILE_SIM_H
#define WAVETILE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Marks what the runtime exports.
#if defined(__GNUC__)
#define WT_SIM_API __attribute__((visibility("default")))
#else
#define WT_SIM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- what was executed

// Stores how many instructions of waves and how many work-groups were executed so far. Either pointer may be
// NULL.
WT_SIM_API int wtSimTotals(unsigned long long *instructions, unsigned long long *workgroups);

// ---- LDS bank conflicts

// Stores how many LDS instructions were counted so far and how many cycles they lost to bank conflicts, then
// sets whether later launches are counted. The environment variable WT_SIM_LDS_CONFLICTS=1 counts from the
// start.
//   enable           1: count, 0: do not count, negative: leave it as it is
//   accesses         LDS instructions of waves; may be NULL
//   conflict_cycles  LDS cycles beyond those of the same accesses without a conflict; may be NULL
WT_SIM_API int wtSimLdsConflicts(int enable, unsigned long long *accesses,
                                 unsigned long long *conflict_cycles);

// ---- check mode

// Stores how many findings check mode has made so far, then sets whether later launches are checked. The
// environment variable WT_SIM_CHECK checks from the start and says how the process ends.
//   enable  1: check, 0: do not check, negative: leave it as it is
//   errors  findings that are errors: a missing wait, a race, an uninitialised value; may be NULL
//   timing  findings that are right only as long as waves keep a certain time; may be NULL
WT_SIM_API int wtSimCheck(int enable, unsigned long long *errors, unsigned long long *timing);

// These are the findings of check mode by class: how often each class was met.
typedef struct wt_sim_check_counts {
  uint64_t errors;  // a missing wait, a race, an uninitialised value
  uint64_t timing;  // right only as long as waves keep a certain time
  uint64_t table;   // fewer wait states than the manual's table asks for, though production code has no more
  uint64_t range;   // manual and hardware differ on whether a buffer access is in range
} wt_sim_check_counts;

// Stores how many findings of each class check mode has made so far.
//   counts  must not be NULL
//   size    sizeof *counts in bytes: fields beyond what the runtime knows are set to zero
WT_SIM_API int wtSimCheckCounts(wt_sim_check_counts *counts, size_t size);

// ---- predicted times

// Says how much of a launch is executed for its prediction.
typedef enum wt_sim_timing_mode {
  WT_SIM_TIMING_KEEP = -1,  // as it was
  WT_SIM_TIMING_OFF = 0,    // everything is executed and nothing predicted
  WT_SIM_TIMING_ALL = 1,    // everything is executed
  // The work-groups that the model needs are executed: memory then is not what the launch computes, unless
  // the launch has few instructions.
  WT_SIM_TIMING_ONLY = 2,
  // This is as WT_SIM_TIMING_ONLY, but only the first die's work-groups are executed, as if the other dies
  // were idle.
  WT_SIM_TIMING_DIE = 3
} wt_sim_timing_mode;

// X(name, text) says why a wave did not issue an instruction, and has the words for it in reports.
#define WT_SIM_STALL_LIST(X)                                                                      \
  X(MATRIX, "MFMA dependency")   /* the matrix pipe is busy, or its result is not there yet */    \
  X(VALU, "VALU dependency")     /* the result of another vector instruction is not there yet */  \
  X(LDS_WAIT, "LDS wait")        /* s_waitcnt for LDS or scalar memory */                         \
  X(LDS_QUEUE, "LDS queue full") /* the LDS queue of the pair of SIMDs is full */                 \
  X(VMEM_WAIT, "VMEM wait")      /* s_waitcnt for vector memory */                                \
  X(TCP, "TCP full")             /* the request queue in front of the L1 cache is full */         \
  X(BARRIER, "barrier")          /* s_barrier */                                                  \
  X(ISSUE, "issue conflict")     /* another wave, or the operand read of an MFMA, has the port */ \
  X(FETCH, "instruction fetch")  /* branches and instructions that cross a fetch window */        \
  X(SLEEP, "s_nop and s_sleep")

// These are the same as numbers.
typedef enum wt_sim_stall {
#define WT_SIM_STALL_ENUM(name, text) WT_SIM_STALL_##name,
  WT_SIM_STALL_LIST(WT_SIM_STALL_ENUM)
#undef WT_SIM_STALL_ENUM
      WT_SIM_STALLS
} wt_sim_stall;

// These are the levels of memory that a load goes through: L1 is the TCP of a compute unit, the LLC is the
// last-level cache that all dies share.
typedef enum wt_sim_level {
  WT_SIM_LEVEL_L1,
  WT_SIM_LEVEL_L2,
  WT_SIM_LEVEL_LLC,
  WT_SIM_LEVEL_HBM,
  WT_SIM_LEVELS
} wt_sim_level;

// This is what the model predicts for one launch. Work-groups of the first die are timed in detail, all of
// them or, in a long launch, as many as `timed_share` says; cycles are of the compute units' clock.
typedef struct wt_sim_timing_result {
  bool valid;              // false: host memory ran out, or the launch faulted; then nothing else counts
  double cycles;           // from the first wave of the launch to the end of the last
  double write_back;       // cycles after that to write the dirty lines of the L2 back
  double seconds;          // both, at the clock that the power model gives
  double clock_mhz;        // that clock
  double loop_efficiency;  // busy share of the matrix pipes, 0 to 1, in the hot loop; 0: there is no loop
  double matrix_share;     // busy share of the matrix pipes, 0 to 1, in the whole launch
  double stall[WT_SIM_STALLS];  // wave-cycles lost, by cause, by all waves timed in detail
  double wave_cycles;           // wave-cycles these waves were resident
  uint64_t waves, groups;       // waves and work-groups timed in detail
  // These count the waves that read their clock (s_memtime) more than once, and their cycles from the first
  // reading to the last.
  double clock_cycles;
  uint64_t clock_waves;
  uint64_t instructions;   // of the waves timed in detail
  uint64_t lds_conflicts;  // cycles these waves' accesses lost to LDS bank conflicts
  // These count the lines looked up in each cache, and those found there. For L2 and LLC they cover all dies
  // for the whole launch where that is more than what is timed in detail, else the first die.
  uint64_t tcp_lines, tcp_hits, l2_lines, l2_hits, llc_lines, llc_hits;
  uint64_t written_lines;                      // lines written from the L2 of the first die to memory
  uint64_t read_lines;                         // lines that the L2s of all dies asked for
  uint64_t hbm_read_bytes, hbm_written_bytes;  // by all dies, for the same work-groups as L2 and LLC lines
  double hbm_share;        // share of the launch's work-groups, 0 to 1, that these bytes are of
  double timed_share;      // share of the launch's instructions, 0 to 1, that were timed in detail
  uint64_t unlike_groups;  // work-groups whose lines were taken from others that are not alike
  // Bytes that each level passes on to the level before it (L1: to the lanes), and takes from there, in the
  // whole launch and on all dies. L1's are those of all lanes, active or not, but no more than the lines that
  // they touch.
  double read_bytes[WT_SIM_LEVELS], written_bytes[WT_SIM_LEVELS];
  // These are the seconds that a launch costs besides: until its first wave begins, and until the next launch
  // may begin. `seconds` is without them, a profiler's time of a kernel and events are with them.
  double launch_seconds;
} wt_sim_timing_result;

// This is the prediction of several launches, one after the other.
typedef struct wt_sim_timing_total {
  uint64_t launches;
  double cycles, seconds;        // sums over the launches
  wt_sim_timing_result longest;  // the launch that took most cycles
} wt_sim_timing_total;

// Stores the prediction of the last launch that ended, then sets the mode for later launches and, unless the
// mode is WT_SIM_TIMING_KEEP, sets the sums of wtSimTimingTotal to zero. The environment variable
// WT_SIM_TIMING sets the mode from the start.
//   mode  a wt_sim_timing_mode
//   last  may be NULL; all zeros when no launch was predicted yet
//   size  sizeof *last in bytes: fields beyond what the runtime knows are set to zero
WT_SIM_API int wtSimTiming(int mode, wt_sim_timing_result *last, size_t size);

// Stores the sums over the launches since the mode was last set.
//   total  must not be NULL
//   size   sizeof *total in bytes, as above
WT_SIM_API int wtSimTimingTotal(wt_sim_timing_total *total, size_t size);

// Says what a launch finds in the last-level cache when it begins.
typedef enum wt_sim_timing_repeat {
  // It finds what earlier launches on the device have left there since the mode was set; the first one finds
  // nothing. Launches of WT_SIM_TIMING_DIE find nothing and leave nothing.
  WT_SIM_TIMING_FOLLOWS = 0,
  WT_SIM_TIMING_REPEATED = 1,  // what the same launch on the same data left there
  // It finds what the same launch left there on other copies of its data, again and again: nothing that it
  // can use, and what was written must go to memory before its place can be used.
  WT_SIM_TIMING_COPIES = 2,
  WT_SIM_TIMING_COLD = 3  // nothing
} wt_sim_timing_repeat;

// Sets what each launch finds in the last-level cache. Returns what was set before the call. The environment
// variable WT_SIM_TIMING_REPEATS (1, copies, cold) sets it from the start.
//   repeats  a wt_sim_timing_repeat; negative: leave it as it is
WT_SIM_API int wtSimTimingRepeats(int repeats);

#ifdef __cplusplus
}
#endif

#endif
