// SPDX-License-Identifier: MIT
// `wavetile tune`: searches kernels, splits of K and grid orders in the timing model.
#ifndef WT_TOOLS_TUNE_H
#define WT_TOOLS_TUNE_H

#include <stddef.h>

#include "predict/predict.h"

enum { TUNE_MOST_TRIES = 64, TUNE_MOST_KERNELS = 64 };

// This stands for a kernel where the library takes several: it cuts C into pieces, or packs operands first.
#define TUNE_SEVERAL "gemm_chosen"

typedef struct tune_try {
  const char *kernel;
  int parts;          // of K; 0: as many as the library chooses for the kernel
  int window, chunk;  // of the grid order; 0: the kernel's own
  predict_result result;
} tune_try;

typedef struct tune_job {
  long long m, n, k, tries;
  const char *type, *device, *only, *out;
  const char *chip, *target;  // "mi355x", "gfx950"
  int compute_units;
  bool help;
  const char *skipped[TUNE_MOST_KERNELS];  // kernels that need not be tried
  int skipped_count;
  tune_try done[TUNE_MOST_TRIES];  // the fastest first
  int done_count;
} tune_job;

// Fills `done` and `skipped`. Returns TOOL_OK, or reports and returns an exit code.
int tune_search(tune_job *job);

// Checks that the table at job->out can be added to: it is not there yet, or can be written and is a table.
// It is called before the search, which takes long.
int tune_check_table(const tune_job *job);
// Adds the fastest to the table at job->out, after what is there; nothing where that are several kernels
// as the library takes them, for which a table has no row.
int tune_write(const tune_job *job);

#endif
