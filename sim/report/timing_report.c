// SPDX-License-Identifier: MIT
// Predicts launches when asked, and keeps the time of each device. The report goes to standard error after
// every launch.
#include "sim/report/timing_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "include/wavetile_sim.h"
#include "sim/report/finish.h"
#include "sim/report/process_tally.h"
#include "sim/report/profile_launches.h"
#include "sim/settings/config.h"
#include "sim/settings/environment.h"
#include "sim/settings/say.h"
#include "sim/timing/left_over.h"

enum { INVALID_VALUE = 1 };  // hipErrorInvalidValue

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wt_sim_timing_mode mode;
static wt_sim_timing_repeat repeats;
static uint64_t times_set;  // how often the mode was set
static wt_sim_timing_result last;
static wt_sim_timing_total total;             // since the mode was set
static double elapsed[SIM_ENV_DEVICES_MOST];  // seconds predicted for each device

static void begin(void) {
  mode = (wt_sim_timing_mode)sim_configuration()->timing;
  repeats = (wt_sim_timing_repeat)sim_configuration()->repeats;
}

wt_sim_timing_mode sim_report_timing(void) {
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  wt_sim_timing_mode now = mode;
  pthread_mutex_unlock(&lock);
  return now;
}

wt_sim_timing_repeat sim_report_timing_repeats(void) {
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  wt_sim_timing_repeat now = repeats;
  pthread_mutex_unlock(&lock);
  return now;
}

uint64_t sim_report_timing_times_set(void) {
  pthread_mutex_lock(&lock);
  const uint64_t times = times_set;
  pthread_mutex_unlock(&lock);
  return times;
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static void report(const sim_launch *launch, const wt_sim_timing_result *r) {
  fprintf(stderr, "wavetile sim: predicted, not measured: %s (%s): %.0f cycles, %.2f us at %.0f MHz",
          launch->kernel->name, launch->machine->target, r->cycles, r->seconds * 1e6, r->clock_mhz);
  if (r->loop_efficiency > 0)
    fprintf(stderr, ", MFMA efficiency in the loop %.1f%%", 100 * r->loop_efficiency);
  fprintf(stderr, ", %.1f%% overall\n  waves  ", 100 * r->matrix_share);
  double stalls = 0;
  for (int i = 0; i < WT_SIM_STALLS; ++i) {
    stalls += r->stall[i];
    fprintf(stderr, "%s %.1f%%, ", sim_stall_names[i], percent(r->stall[i], r->wave_cycles));
  }
  fprintf(stderr, "issuing %.1f%%\n", percent(r->wave_cycles - stalls, r->wave_cycles));
  fprintf(stderr, "  hits   L1 %.1f%%, L2 %.1f%%, LLC %.1f%%; end of launch: %.0f cycles to write L2 back\n",
          percent((double)r->tcp_hits, (double)r->tcp_lines),
          percent((double)r->l2_hits, (double)r->l2_lines),
          percent((double)r->llc_hits, (double)r->llc_lines), r->write_back);
}

void sim_report_timing_take(const wt_sim_timing_result *result, int device) {
  pthread_mutex_lock(&lock);
  last = *result;
  ++total.launches;
  total.cycles += result->cycles;
  total.seconds += result->seconds;
  if (total.launches == 1 || result->cycles > total.longest.cycles) total.longest = *result;
  elapsed[device] += result->valid ? result->seconds + result->launch_seconds : 0;
  pthread_mutex_unlock(&lock);
  if (result->valid) sim_tally_predicted(result->seconds);
}

void sim_report_timing_add(const sim_launch *launch, const sim_timing_plan *plan,
                           const sim_profile_choice *profile, int device) {
  wt_sim_timing_result result;
  if (profile)
    sim_profile_timed(launch, plan, profile, &result);
  else
    sim_timing_run(launch, plan, NULL, &result);
  if (!result.valid)
    sim_say("no prediction for kernel %s: host memory ran out", launch->kernel->name);
  else if (sim_configuration()->timing && !profile)
    report(launch, &result);
  sim_report_timing_take(&result, device);
}

uint64_t sim_report_timing_now(int device) {
  pthread_mutex_lock(&lock);
  double seconds = elapsed[device];
  pthread_mutex_unlock(&lock);
  return 1 + (uint64_t)llround(seconds * 1e9);  // 0 means never recorded
}

// Copies what the caller has memory for, and zeros to what is younger than this runtime.
static void store(void *to, size_t size, const void *from, size_t known) {
  memcpy(to, from, size < known ? size : known);
  if (size > known) memset((char *)to + known, 0, size - known);
}

int wtSimTiming(int wanted, wt_sim_timing_result *result, size_t size) {
  sim_report_finish();
  if (wanted < WT_SIM_TIMING_KEEP || wanted > WT_SIM_TIMING_DIE) {
    sim_say("wtSimTiming: mode is %d; pass a wt_sim_timing_mode, from %d to %d", wanted, WT_SIM_TIMING_KEEP,
            WT_SIM_TIMING_DIE);
    return INVALID_VALUE;
  }
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  if (result) store(result, size, &last, sizeof last);
  if (wanted != WT_SIM_TIMING_KEEP) {
    mode = (wt_sim_timing_mode)wanted;
    total = (wt_sim_timing_total){0};
    ++times_set;
  }
  pthread_mutex_unlock(&lock);
  if (wanted != WT_SIM_TIMING_KEEP) sim_left_over_forget();
  return 0;
}

int wtSimTimingRepeats(int wanted) {
  sim_report_finish();
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  const int before = (int)repeats;
  if (wanted >= 0 && wanted <= WT_SIM_TIMING_COLD) repeats = (wt_sim_timing_repeat)wanted;
  pthread_mutex_unlock(&lock);
  if (wanted > WT_SIM_TIMING_COLD)
    sim_say("wtSimTimingRepeats: repeats is %d; pass a wt_sim_timing_repeat, up to %d", wanted,
            WT_SIM_TIMING_COLD);
  return before;
}

int wtSimTimingTotal(wt_sim_timing_total *result, size_t size) {
  sim_report_finish();
  if (!result) {
    sim_say("wtSimTimingTotal: total is NULL; pass the address of a wt_sim_timing_total");
    return INVALID_VALUE;
  }
  pthread_mutex_lock(&lock);
  store(result, size, &total, sizeof total);
  pthread_mutex_unlock(&lock);
  return 0;
}
