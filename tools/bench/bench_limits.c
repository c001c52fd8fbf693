// SPDX-License-Identifier: MIT
// Says what limits a launch, in the profiler's words: the simulated runtime records each launch as it does
// for `wavetile prof`, and the records are read back.
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/cleanup.h"
#include "prof/prof.h"

static char folder[2048];

int bench_limits_begin(void) {
  const int code = prof_make_folder(folder, sizeof folder);
  if (code) return code;
  setenv("WT_SIM_PROFILE", folder, 1);
  setenv("WT_SIM_PROFILE_ISSUES", "0", 1);
  return TOOL_OK;
}

void bench_limits_end(void) { cleanup_remove_folder(folder); }

static bool is_same(const wt_sim_timing_result *a, const wt_sim_timing_result *b) {
  return a->cycles == b->cycles && a->instructions == b->instructions && a->waves == b->waves;
}

void bench_profiled_limit(const bench_row *row, const wt_sim_timing_result *launch, char *text, size_t size) {
  prof_run run = {.kernels = NULL};
  prof_advice advice[PROF_ADVICE];
  *text = 0;
  if (prof_load(folder, &run) == TOOL_OK)
    for (size_t i = 0; i < run.count; ++i) {
      if (!is_same(&run.kernels[i].timed->facts.result, launch)) continue;
      const size_t count = prof_advise(&run.kernels[i], advice);
      // The last is about the loop, where there is one; the first may be about the rest of the launch.
      const prof_advice *a = &advice[row->quantity == BENCH_LOOP ? count - 1 : 0];
      snprintf(text, size, "limited by %s: %s", a->resource, a->sentence);
    }
  prof_free(&run);
}
