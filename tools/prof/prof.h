// SPDX-License-Identifier: MIT
// Declares the parts of `wavetile prof`: the program's run, what its records say, and the ways to show it.
#ifndef WT_TOOLS_PROF_H
#define WT_TOOLS_PROF_H

#include "sim/report/profile.h"

typedef struct prof_options {
  const char *timing, *kernel;
  const char *json, *trace, *html;  // files, or NULL
  long long launches, top, cycles;
  unsigned long long from;
  bool listing, source, compare, repeats, help;
  char **program;  // with its arguments, NULL at the end
} prof_options;

// Describes the loop that a kernel spends its time in: ops first to last, both included.
typedef struct prof_loop {
  bool found;
  uint32_t first, last;
  double iterations;  // iterations by all waves timed in detail
  double stall[WT_SIM_STALLS];
  // Mean cycles of the matrix pipe in an iteration of one wave: busy; idle in all; and idle by what the wave
  // did meanwhile (the last entry: it issued other instructions).
  double pipe_busy, pipe_idle, idle[WT_SIM_STALLS + 1];
  double wave_cycles;  // stalls, and a slot for each instruction issued
} prof_loop;

// Bytes that a level of memory moves in one launch, and how many it moves in a second at most.
typedef struct prof_level {
  double read, written;
  double limit;  // bytes per second, for this mix of reads and writes
} prof_level;

// All launches with the same kernel, grid, block and arguments.
typedef struct prof_kernel {
  char *title;                // the kernel's name as it was written, where it can be known
  sim_profile_launch *timed;  // the first that was timed in detail
  uint64_t timed_count;
  uint64_t equal, alike;  // launches not timed: with the same arguments; with other arguments
  double seconds;         // of all launches together
  double last_seconds;    // of the last one that was timed: those that follow are taken as equal to it
  double least, most;     // cycles of the launches that were timed
  // `groups` counts the work-groups of one launch. What the timed work-groups did, times `scale`, is what the
  // launch did.
  double groups, scale;
  double matrix_flops, vector_flops;
  double matrix_peak;  // FLOP/s of the chip, for the mix of MFMA at the highest clock; 0: no MFMA
  double vector_peak;  // for f32
  prof_level level[WT_SIM_LEVELS];
  double bytes_per_second;  // bytes per second from and to HBM
  prof_loop loop;
} prof_kernel;

typedef struct prof_run {
  prof_kernel *kernels;  // most time first
  size_t count;
  uint64_t launches;
  uint64_t broken;      // processes whose records end amid one
  uint64_t unrecorded;  // processes that launched kernels, but could write no record
  double seconds;       // of all launches
} prof_run;

enum {
  PROF_SLOT_CYCLES = 4
};  // a wave's instructions issue at most so often (rocprofiler-compute documentation)

// Makes a new folder for records, to be removed by cleanup_remove_folder; reports and returns an exit code
// when it cannot be made.
int prof_make_folder(char *out, size_t size);

// Runs the program with the simulated runtime and records in `folder`. Gives its exit code as a shell would
// in *exit_code; returns TOOL_OK, or reports why it could not be run.
int prof_run_program(const prof_options *options, const char *folder, int *exit_code);

// Reads and sums up all records in the folder.
int prof_load(const char *folder, prof_run *run);
void prof_free(prof_run *run);

// Returns the FLOPs of one instruction of a wave with all lanes active, found from its disassembly.
double prof_flops(const char *text, uint32_t klass);
// Says what limits a kernel, and what to do about it, in sentences. The first is the main one.
typedef struct prof_advice {
  const char *resource;
  char sentence[320];
  const char *suggestion;
} prof_advice;
enum { PROF_ADVICE = 2 };
size_t prof_advise(const prof_kernel *kernel, prof_advice out[PROF_ADVICE]);

double prof_percent(double part, double whole);  // 0 when there is no whole
prof_loop prof_find_loop(const sim_profile_launch *launch);
// Return the wave-cycles of an op, and those that it lost.
double prof_op_cycles(const sim_profile_op *op);
double prof_op_stalls(const sim_profile_op *op);
double prof_op_idle(const sim_profile_op *op);  // cycles of the matrix pipe before it, mean
const char *prof_op_text(const sim_profile_launch *launch, const sim_profile_op *op);
const char *prof_unit_name(const sim_profile_op *op);

extern const char *const prof_level_names[WT_SIM_LEVELS];
double prof_flops_of(const prof_kernel *kernel);                    // FLOPs of all pipes in one launch
void prof_add_levels(prof_kernel *kernel);                          // from the facts of what was timed
double prof_level_rate(const prof_kernel *kernel, wt_sim_level l);  // bytes per second
double prof_intensity(const prof_kernel *kernel, wt_sim_level l);   // FLOP per byte; 0 when it moves none

// Describes a bound that the launch comes near to: of a level's bandwidth, or of the matrix or vector pipes.
typedef struct prof_roof {
  const char *name;
  double share;  // part of the bound that is reached, 0 to 1
} prof_roof;
enum { PROF_ROOFS = WT_SIM_LEVELS + 2 };
// Gives all bounds, the nearest first: that is the one that limits the launch.
void prof_roofs(const prof_kernel *kernel, prof_roof out[PROF_ROOFS]);

// Returns what keeps a compute unit from holding one more work-group.
const char *prof_occupancy_limit(const sim_profile_facts *facts);

// Returns whether the options ask for this kernel to be shown.
bool prof_shown(const prof_kernel *kernel, const prof_options *options);
void prof_print(const prof_run *run, const prof_options *options);
void prof_print_listing(const prof_kernel *kernel);
void prof_print_source(const prof_kernel *kernel);
// Writes the two causes by which most cycles are lost, as "  MFMA 4.0, LDS 1.2"; nothing when none loses any.
void prof_causes_text(const double lost[WT_SIM_STALLS], char *out, size_t size);
// Ends a line of a listing with a text and what follows it, where the line is at column `column`. On a
// terminal both are cut so that they fit.
void prof_print_row(int column, const char *text, const char *why);

// These return exit codes and report what went wrong.
int prof_write_json(const prof_run *run, const prof_options *options, const char *path);
int prof_write_trace(const prof_run *run, const prof_options *options, const char *path);
int prof_write_html(const prof_run *run, const prof_options *options, const char *path);
int prof_compare(const char *path_a, const char *path_b);

#endif
