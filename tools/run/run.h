// SPDX-License-Identifier: MIT
// Declares what the files of `wavetile run` share.
#ifndef WT_TOOLS_RUN_H
#define WT_TOOLS_RUN_H

#include <stdbool.h>

#include "sim/report/tally.h"

typedef struct run_options {
  const char *device;          // --device; NULL: the simulated devices, in the order the program asks for
  const char *schedule;        // --schedule, or NULL
  const char *check, *timing;  // --check and --timing with what stands behind "="; NULL: not given
  const char *report;          // --report, or NULL
  long long threads;           // --threads; 0: not given
  bool quiet, progress;
  int ordinal;     // N of --device hip:N; -1: simulated devices
  char **program;  // the program and its arguments, ending with NULL
} run_options;

// Checks the options and puts them into the environment of this process, and with it of the program. The
// tally's path goes there as well; NULL for a real GPU. Returns TOOL_OK, or reports and returns an exit code.
int run_prepare(run_options *options, const char *tally_path);

// Writes one line to standard error on what the program did: on the simulated devices, or on a real GPU if
// there is no tally.
void run_tell(const run_options *options, const sim_tally *tally);

#endif
