// SPDX-License-Identifier: MIT
// `wavetile bench cliffs`: calls of all families at neighbouring sizes, alignments and strides in the timing
// model, and which neighbours are much slower than the ones before them.
#ifndef WT_TOOLS_BENCH_CLIFFS_H
#define WT_TOOLS_BENCH_CLIFFS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLIFF_LONGEST_SHAPE = 96 };

// A neighbour is a cliff when it does less than this share of the work per cycle of the one before it.
static const double cliff_share = 0.8;

// Which runs predict a sweep, and on which chips its calls exist.
typedef enum cliff_extent { CLIFF_ALWAYS, CLIFF_FULL } cliff_extent;
typedef enum cliff_chips { CLIFF_BOTH, CLIFF_MI355X } cliff_chips;

// Calls that differ in one number.
typedef struct cliff_sweep {
  const char *name;    // no other has it
  const char *family;  // what --only chooses
  const char *kernel;  // as in predict_call
  const char *type;    // of the inputs
  const char *shape;   // as predict_shape_read takes it, with # where the number stands. An option that is 0
                       // is left out
  const char *steps;   // the numbers in their order, with spaces between them
  cliff_extent extent;
  cliff_chips chips;
} cliff_sweep;

// This is the table of sweeps.
extern const cliff_sweep cliff_sweeps[];
extern const size_t cliff_sweep_count;

// Describes a call of a sweep.
typedef struct cliff_point {
  const cliff_sweep *sweep;
  long long step;
  char shape[CLIFF_LONGEST_SHAPE];
  double cycles, work;  // work: FLOPs of products and attention, else bytes; cycles 0: not predicted
} cliff_point;

// Describes the calls of some sweeps, each sweep's together and in its order.
typedef struct cliff_run {
  const char *chip;  // "mi355x"
  const char *keep;  // the file that predictions are added to; NULL: none
  cliff_point *points;
  size_t count;
  const struct cliff_reason *reasons;
  size_t reason_count;
} cliff_run;

// Makes the points of the sweeps whose family or name contains `only` (NULL: of all), without those of
// CLIFF_FULL unless `full` is set. Reports and returns an exit code when no sweep is left. Free with
// cliff_run_free.
int cliff_points_make(cliff_run *run, const char *only, bool full);
void cliff_run_free(cliff_run *run);

// Takes from run->keep the predictions that it has; there may be no file.
int cliff_keep_read(cliff_run *run);
// Predicts what has no prediction, `jobs` calls at a time.
int cliff_predict(cliff_run *run, size_t jobs);

// Returns work per cycle beside that of the point before; NAN when it is a sweep's first, or one of the two
// has no prediction.
double cliff_ratio(const cliff_run *run, size_t point);
bool cliff_is(const cliff_run *run, size_t point);

// Describes a cliff that is known, and why it is there.
typedef struct cliff_reason {
  const char *chip, *sweep;
  long long from, to;
  const char *reason;
} cliff_reason;

// Reads a list of known cliffs (docs/validation/cliffs.csv), cutting `text` into pieces. Reports and returns
// an exit code when it is malformed or names what the table of sweeps has not. Free *reasons with free.
int cliff_reasons_read(const char *path, char *text, cliff_reason **reasons, size_t *count);
// Returns why a point is a cliff; NULL when the list does not say.
const char *cliff_reason_of(const cliff_run *run, size_t point);

#endif
