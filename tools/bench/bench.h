// SPDX-License-Identifier: MIT
// Shows predictions beside published measurements, and beside targets.
#ifndef WT_TOOLS_BENCH_H
#define WT_TOOLS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/tool.h"
#include "predict/predict.h"

typedef enum bench_quantity {
  BENCH_TFLOPS,
  BENCH_MICROSECONDS,
  BENCH_CYCLES,     // first wave to last wave, of all launches
  BENCH_LOOP,       // percent of the hot loop that the matrix pipes are busy
  BENCH_OVERALL,    // percent of the launch that the matrix pipes are busy
  BENCH_LAG,        // points by which the launch is below its loop
  BENCH_GBYTES,     // GB/s of what must be read and written once
  BENCH_STREAM,     // what must be read and written once, in percent of what HBM could move in all launches
  BENCH_HBM,        // what HBM reads and writes, in percent of the model's memory bandwidth
  BENCH_L2,         // percent of lines looked up in L2 that are there
  BENCH_LLC,        // percent of lines looked up in the last-level cache that are there
  BENCH_DRAM,       // lines of 128 bytes read from memory or the last-level cache
  BENCH_PING_PONG,  // percent of the TFLOP/s of gemm_8wave_256x256 at the same shape
  BENCH_EACH,       // cycles, one sequence of micro.hip of many
  BENCH_SPAN,       // cycles, all of them
  BENCH_QUANTITIES
} bench_quantity;

typedef struct bench_quantity_info {
  const char *name, *unit;  // name in the table of measurements; unit in reports
  bool points;              // errors are differences, in percentage points; else ratios, in percent
} bench_quantity_info;

extern const bench_quantity_info bench_quantities[BENCH_QUANTITIES];

// Says what a row is for.
typedef enum bench_role {
  BENCH_COMPARE,  // measured; only compared
  BENCH_CHOOSE,   // measured; constants of the model may be chosen from it
  BENCH_LEAST,    // a target: at least this
  BENCH_MOST      // a target: at most this
} bench_role;

// Describes a row of docs/validation/published.csv: what somebody measured, and our kernel that does the
// same; or of docs/validation/targets.csv.
typedef struct bench_row {
  char *group, *chip, *source, *what, *kernel, *type, *shape;
  char *note;  // on a measurement; of a target, the work that would mend a miss
  predict_shape sizes;
  bench_quantity quantity;
  bench_role role;
  double measured;   // or the target
  double bound;      // what was set beforehand as the bound of the error's amount; 0: nothing
  bool predicted;    // whether there is a prediction, since the library has such a kernel
  double value;      // the prediction
  char limits[384];  // what keeps it from being better, where that was asked for
} bench_row;

typedef struct bench_table {
  char *text;  // the file; the rows point into it
  bench_row *rows;
  size_t count;
} bench_table;

// Reads a table; reports and returns an exit code when it is malformed. Free with bench_table_free.
int bench_table_read(const char *path, bench_table *table);
// Reads a table from a text in memory, which messages call `name`.
int bench_table_parse(const char *name, const char *text, bench_table *table);
void bench_table_free(bench_table *table);

// Writes what limits the row's launch, which has just been predicted.
typedef void bench_limit(const bench_row *row, const wt_sim_timing_result *launch, char *text, size_t size);

// Predicts the rows whose group or kernel contains `only` (NULL: all), each call once, and asks `limit`
// (NULL: nobody) for their limits. `keep` is a file or NULL: rows of which it has a prediction are not
// predicted, and what is predicted is added to it.
int bench_predict(bench_table *table, const char *only, const char *keep, bench_limit *limit);
// Says on standard error which of the rows is predicted now.
void bench_say_progress(size_t row, size_t rows, const char *text);
// Checks that there is a row whose group or kernel contains `only`.
int bench_check_only(const bench_table *table, const char *only);
// Drops the rows whose group or kernel does not contain `only`.
void bench_leave_out(bench_table *table, const char *only);

// These give the limits that the profiler finds (tools/prof). The first is called before the first use of a
// device and the second at the end: launches between them are recorded. The first reports and returns an exit
// code when they cannot be.
int bench_limits_begin(void);
void bench_limits_end(void);
bench_limit bench_profiled_limit;

// The first fills the rows of which the file has predictions (there may be no file), the second adds a row's
// prediction to it.
int bench_keep_read(const char *path, bench_table *table);
int bench_keep_add(const char *path, const bench_row *row);

// Returns the error in percent or points, positive when the prediction is above.
double bench_error(const bench_row *row);
bool bench_within(const bench_row *row);  // whether the error is within its bound; true when there is none
bool bench_met(const bench_row *row);     // whether the prediction meets its target

// Writes a figure with at most one decimal, and with none where it says nothing.
void bench_number(char *text, size_t size, double value);

// ---- reports. Each writes whole lines; `page` asks for Markdown.

void bench_write_rows(FILE *out, const bench_table *table, bool page);
// Writes the mean errors by group, by role and in all.
void bench_write_errors(FILE *out, const bench_table *table, bool page);
// Writes which pairs of one group, quantity and shape (for ladders: of one size) are predicted in another
// order.
void bench_write_order(FILE *out, const bench_table *table);
// Writes targets, predictions, and what limits those that miss theirs (bench/bench_targets.c).
void bench_write_targets(FILE *out, const bench_table *table);

// `wavetile bench sim` (bench/speed.h). argv[0] is "sim".
int tool_bench_sim(int argc, char **argv);
// `wavetile bench binaries` (bench/binaries.h). argv[0] is "binaries".
int tool_bench_binaries(int argc, char **argv);
// `wavetile bench choice` (bench/choice.h). argv[0] is "choice".
int tool_bench_choice(int argc, char **argv);
// `wavetile bench cliffs` (bench/cliffs.h). argv[0] is "cliffs".
int tool_bench_cliffs(int argc, char **argv);

// Write pages of the documentation in `folder`, between their markers (bench/bench_page.h): validation.md and
// validation/errors.svg, drawn by gnuplot; and targets.md.
int bench_write_validation(const char *folder, const bench_table *table);
int bench_write_targets_page(const char *folder, const bench_table *table);

#endif
