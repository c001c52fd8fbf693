// SPDX-License-Identifier: MIT
// Counts, times and predicts what lies between two calls.
#include "device_run.h"

#include <hip/hip_runtime_api.h>
#include <math.h>

#include "device.h"
#include "device_memory.h"
#include "predict/predict.h"
#include "report.h"
#include "tool.h"

int device_run_begin(device_run *run) {
  if (run->predict) {
    const int code = predict_begin(run->computes ? WT_SIM_TIMING_ALL : WT_SIM_TIMING_ONLY);
    if (code) return code;
  }
  run->counted = tool_device_counters(&run->instructions, &run->workgroups);
  run->seconds = tool_seconds();
  return TOOL_OK;
}

int device_run_end(device_run *run, int code, const char *what) {
  const hipError_t error = hipDeviceSynchronize();
  run->seconds = tool_seconds() - run->seconds;
  if (run->counted) {
    unsigned long long instructions, workgroups;
    tool_device_counters(&instructions, &workgroups);
    run->instructions = instructions - run->instructions;
    run->workgroups = workgroups - run->workgroups;
  }
  if (run->predict) {
    const int ended = predict_end(&run->total);
    code = code ? code : ended;
  }
  if (!code && error != hipSuccess) code = tool_hip_failed(what, error);
  if (!code && run->predict && run->total.launches && !run->total.longest.valid)
    code = tool_error(TOOL_FAILED, "there is no prediction for %s: host memory ran out", what);
  return code;
}

void device_run_report(const device_run *run) {
  if (run->counted)
    report_row("executed", "%llu instructions in %llu work-groups%s", run->instructions, run->workgroups,
               run->computes ? "" : ", as many as the prediction needs");
  else
    report_row("executed", "-");
  if (run->predict)
    report_row("predicted", "%.0f cycles, %.2f us in %llu launch%s (modelled, not measured)",
               run->total.cycles, run->total.seconds * 1e6, (unsigned long long)run->total.launches,
               run->total.launches == 1 ? "" : "es");
}

// Returns a quantity per second, in units of 10^9.
static double giga_rate(const device_run *run, double quantity) {
  return run->predict && quantity > 0 && run->total.seconds > 0 ? quantity / run->total.seconds * 1e-9 : NAN;
}

void device_run_record(const device_run *run, double flops, double bytes, record *r) {
  record_number(r, "predicted_cycles", run->predict ? run->total.cycles : NAN), record_brief(r);
  record_number(r, "predicted_us", run->predict ? run->total.seconds * 1e6 : NAN), record_brief(r);
  record_number(r, "predicted-Gflops", giga_rate(run, flops)), record_brief(r);
  record_number(r, "predicted-GB/s", giga_rate(run, bytes)), record_brief(r);
  // A real device counts nothing.
  record_whole(r, "instructions", run->counted ? (long long)run->instructions : 0);
  record_whole(r, "workgroups", run->counted ? (long long)run->workgroups : 0);
  record_number(r, "host_seconds", run->seconds);
}
