// SPDX-License-Identifier: MIT
// Predicted times through the runtime: wtSimTiming and events. Arguments: code objects for gfx950 (device 0)
// and gfx942 (device 1).
#include <math.h>

#include "hip_capture.h"
#include "wavetile_sim.h"

enum { BLOCKS = 600 };

static void launch(hipModule_t module, unsigned *out) {
  hipFunction_t f;
  void *params[] = {&out};
  OK(hipModuleGetFunction(&f, module, "lds_strides"));
  OK(hipModuleLaunchKernel(f, BLOCKS, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
  OK(hipDeviceSynchronize());
}

static void check_result(unsigned *out, const char *when) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < BLOCKS * 64; ++i) wrong += out[i] != ((63 - i % 64) ^ i / 64);
  CHECK(wrong == 0, "%s: %u results are wrong", when, wrong);
  memset(out, 0, BLOCKS * 64 * sizeof *out);
}

static wt_sim_timing_result predicted(hipModule_t module, unsigned *out) {
  wt_sim_timing_result result;
  wtSimTiming(WT_SIM_TIMING_ALL, NULL, 0);
  launch(module, out);
  wtSimTiming(WT_SIM_TIMING_OFF, &result, sizeof result);
  CHECK(result.valid && result.cycles > 0 && result.seconds > 0, "%g cycles, %g seconds", result.cycles,
        result.seconds);
  return result;
}

static void predictions_do_not_depend_on_threads(hipModule_t module, unsigned *out) {
  static const char *const threads[] = {"1", "2", "8"};
  double cycles[3];
  for (int i = 0; i < 3; ++i) {
    setenv("WT_SIM_THREADS", threads[i], 1);
    cycles[i] = predicted(module, out).cycles;
    check_result(out, "predicted");
  }
  unsetenv("WT_SIM_THREADS");
  CHECK(cycles[0] == cycles[1] && cycles[0] == cycles[2], "%g, %g and %g cycles", cycles[0], cycles[1],
        cycles[2]);
}

static void switched_off_nothing_is_predicted(hipModule_t module, unsigned *out) {
  wt_sim_timing_result before, after;
  wtSimTiming(WT_SIM_TIMING_OFF, &before, sizeof before);
  memset(&after, 0, sizeof after);
  launch(module, out);
  check_result(out, "not predicted");
  wtSimTiming(WT_SIM_TIMING_KEEP, &after, sizeof after);
  CHECK(memcmp(&before, &after, sizeof before) == 0, "a launch was predicted while that was off");
}

static void waves_are_accounted_for(hipModule_t module, unsigned *out) {
  wt_sim_timing_result r = predicted(module, out);
  double stalls = 0;
  for (int i = 0; i < WT_SIM_STALLS; ++i) stalls += r.stall[i];
  CHECK(r.waves == r.groups, "%llu waves in %llu work-groups of one", (unsigned long long)r.waves,
        (unsigned long long)r.groups);
  CHECK(stalls < r.wave_cycles, "stalls of %g cycles in %g", stalls, r.wave_cycles);
  CHECK(r.lds_conflicts > 0, "no bank conflicts were seen");
}

static void launches_add_up(hipModule_t module, unsigned *out) {
  wt_sim_timing_total total;
  double cycles = 0, longest = 0;
  wtSimTiming(WT_SIM_TIMING_ALL, NULL, 0);
  for (int i = 0; i < 3; ++i) {
    wt_sim_timing_result last;
    launch(module, out);
    wtSimTiming(WT_SIM_TIMING_KEEP, &last, sizeof last);
    cycles += last.cycles;
    longest = fmax(longest, last.cycles);
  }
  wtSimTimingTotal(&total, sizeof total);
  CHECK(total.launches == 3 && total.cycles == cycles && total.longest.cycles == longest,
        "%llu launches of %g cycles, the longest %g; each for itself %g, %g",
        (unsigned long long)total.launches, total.cycles, total.longest.cycles, cycles, longest);
  wtSimTiming(WT_SIM_TIMING_OFF, NULL, 0);
  wtSimTimingTotal(&total, sizeof total);
  CHECK(total.launches == 0 && total.cycles == 0, "setting the mode does not begin anew");
}

static void a_mode_that_does_not_exist_is_refused(void) {
  static const int modes[] = {WT_SIM_TIMING_KEEP - 1, WT_SIM_TIMING_DIE + 1};
  for (int i = 0; i < 2; ++i) {
    const int mode = modes[i];
    const hip_capture capture = capture_begin();
    char said[1024];
    const int result = wtSimTiming(mode, NULL, 0);
    capture_end(capture, said);
    CHECK(result == hipErrorInvalidValue, "mode %d gives %d", mode, result);
    CHECK(strstr(said, "pass a wt_sim_timing_mode"), "mode %d says \"%s\"", mode, said);
  }
  const hip_capture capture = capture_begin();
  char said[1024];
  const int result = wtSimTimingTotal(NULL, 0);
  capture_end(capture, said);
  CHECK(result == hipErrorInvalidValue && strstr(said, "total is NULL"), "no memory for the sums: %s", said);
}

// A program built with a younger header asks for more than this runtime knows.
static void unknown_fields_are_zero(void) {
  struct {
    wt_sim_timing_result known;
    uint64_t unknown[4];
  } result;
  memset(&result, 0xff, sizeof result);
  CHECK(wtSimTiming(WT_SIM_TIMING_KEEP, &result.known, sizeof result) == 0, "asking");
  for (int i = 0; i < 4; ++i) CHECK(result.unknown[i] == 0, "field %d beyond what is known", i);
}

// All launches are alike: none finds what another one has left.
static void events_tell_predicted_time(hipModule_t module, unsigned *out) {
  hipEvent_t event[4];
  float idle, busy, two;
  wt_sim_timing_result r;
  for (int i = 0; i < 4; ++i) OK(hipEventCreate(&event[i]));
  wtSimTimingRepeats(WT_SIM_TIMING_COLD);
  wtSimTiming(WT_SIM_TIMING_ALL, NULL, 0);
  OK(hipEventRecord(event[0], NULL));
  OK(hipEventRecord(event[1], NULL));
  launch(module, out);
  OK(hipEventRecord(event[2], NULL));
  launch(module, out);
  launch(module, out);
  OK(hipEventRecord(event[3], NULL));
  wtSimTiming(WT_SIM_TIMING_OFF, &r, sizeof r);
  wtSimTimingRepeats(WT_SIM_TIMING_FOLLOWS);
  OK(hipEventElapsedTime(&idle, event[0], event[1]));
  OK(hipEventElapsedTime(&busy, event[1], event[2]));
  CHECK(idle == 0, "%g ms without a launch", (double)idle);
  OK(hipEventElapsedTime(&two, event[2], event[3]));
  const double expected = (r.seconds + r.launch_seconds) * 1e3;
  CHECK(r.launch_seconds > 1e-7 && r.launch_seconds < 1e-5, "a launch costs %g s", r.launch_seconds);
  CHECK(fabs((double)busy - expected) < 2e-6, "%g ms, predicted %g", (double)busy, expected);
  CHECK(fabs((double)two - 2 * expected) < 4e-6, "%g ms of two launches, predicted %g", (double)two,
        2 * expected);
  for (int i = 0; i < 4; ++i) OK(hipEventDestroy(event[i]));
}

int main(int argc, char **argv) {
  CHECK(argc == 3, "arguments: code objects for gfx950 and gfx942");
  for (int device = 0; device < 2 && device + 1 < argc; ++device) {
    hipModule_t module;
    unsigned *out;
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&module, argv[device + 1]));
    OK(hipHostMalloc((void **)&out, BLOCKS * 64 * sizeof *out, 0));
    predictions_do_not_depend_on_threads(module, out);
    switched_off_nothing_is_predicted(module, out);
    waves_are_accounted_for(module, out);
    launches_add_up(module, out);
    events_tell_predicted_time(module, out);
    a_mode_that_does_not_exist_is_refused();
    unknown_fields_are_zero();
    OK(hipHostFree(out));
    OK(hipModuleUnload(module));
  }
  return test_result();
}
