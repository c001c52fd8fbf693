// SPDX-License-Identifier: MIT
// Measures the launches of a run: what the simulated device executed, how long the host took, and what the
// timing model predicts.
#ifndef WT_TOOLS_DEVICE_RUN_H
#define WT_TOOLS_DEVICE_RUN_H

#include <stdbool.h>

#include "record.h"
#include "wavetile_sim.h"

typedef struct device_run {
  bool predict;   // set by the caller: whether the timing model is asked
  bool computes;  // set by the caller: whether the results are wanted. If not, a prediction executes only the
                  // work-groups that the model needs
  bool counted;   // whether the numbers below are known
  unsigned long long instructions, workgroups;
  double seconds;             // seconds of the host
  wt_sim_timing_total total;  // predicted
} device_run;

// Must be called before the first launch. Returns TOOL_OK, or reports and returns an exit code.
int device_run_begin(device_run *run);
// Waits for the device after the last launch. `code` is the exit code of the launches, which is returned if
// it is a failure. `what` is for the sentence when the device fails.
int device_run_end(device_run *run, int code, const char *what);

// Prints its lines of the report.
void device_run_report(const device_run *run);
// Adds its fields to a record. `flops` and `bytes` are what the call must compute and move at least; rates
// that are 0 or were not predicted are left empty.
void device_run_record(const device_run *run, double flops, double bytes, record *r);

#endif
