// SPDX-License-Identifier: MIT
// Around the launches of a run: what the simulated device executed, how long the host took, and what the
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
  double seconds;             // of the host
  wt_sim_timing_total total;  // predicted
} device_run;

// Before the first launch.
int device_run_begin(device_run *run);
// After the last: waits for the device. `code` is what the launches came to; a failure of it is returned.
// `what` is for the sentence when the device fails.
int device_run_end(device_run *run, int code, const char *what);

// Lines of the report.
void device_run_report(const device_run *run);
// Fields of a record. `flops` and `bytes` are what the call must compute and move at least; rates that come
// to 0 or that nobody predicted are left empty.
void device_run_record(const device_run *run, double flops, double bytes, record *r);

#endif
