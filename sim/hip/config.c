// SPDX-License-Identifier: MIT
// Reads the environment of the HIP surface.
#include "sim/hip/config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/timing/timing.h"

static sim_hip_config config;
static pthread_once_t config_once = PTHREAD_ONCE_INIT;

// The first value that is none is kept: launches are refused with it.
static void refuse(const char *name, const char *text, const char *wanted) {
  if (!*config.refused)
    snprintf(config.refused, sizeof config.refused, "%s=%.64s is not %s", name, text, wanted);
}

// The place of the variable's value among `values`, which end with NULL; 0 if it is not set.
static int read_choice(const char *name, const char *const values[], const char *wanted) {
  const char *text = getenv(name);
  if (!text || !*text) return 0;
  for (int i = 0; values[i]; ++i)
    if (strcmp(text, values[i]) == 0) return i;
  refuse(name, text, wanted);
  return 0;
}

static bool read_flag(const char *name) {
  static const char *const values[] = {"0", "1", NULL};
  return read_choice(name, values, "one of 0, 1");
}

// A whole number from `least` on; `otherwise` if it is not set.
static long long read_number(const char *name, long long least, long long otherwise) {
  const char *text = getenv(name);
  if (!text || !*text) return otherwise;
  char *end = NULL;
  const long long value = strtoll(text, &end, 10);
  if (end != text && !*end && value >= least) return value;
  char wanted[64];
  snprintf(wanted, sizeof wanted, "a whole number from %lld on", least);
  refuse(name, text, wanted);
  return otherwise;
}

static void read_profile(void) {
  const char *folder = getenv("WT_SIM_PROFILE");
  snprintf(config.profile, sizeof config.profile, "%s", folder ? folder : "");
  config.profile_launches = read_number("WT_SIM_PROFILE_LAUNCHES", 1, 1);
  config.profile_issues = read_number("WT_SIM_PROFILE_ISSUES", 0, 1 << 17);
  config.profile_from = read_number("WT_SIM_PROFILE_FROM", 0, 0);
  if (config.profile[0] && config.timing == WT_SIM_TIMING_OFF) config.timing = WT_SIM_TIMING_ALL;
}

static void read_environment(void) {
  static const char *const checks[] = {"0", "1", "fail", "strict", NULL};  // sim_hip_check_mode
  static const char *const timings[] = {"0", "1", "only", "die", NULL};    // wt_sim_timing_mode
  const char *devices = getenv("WT_SIM_DEVICES"), *report = getenv("WT_SIM_REPORT");
  snprintf(config.devices, sizeof config.devices, "%s", devices ? devices : "mi355x,mi300x");
  snprintf(config.report, sizeof config.report, "%s", report ? report : "");
  config.quiet = read_flag("WT_SIM_QUIET");
  config.lds_conflicts = read_flag("WT_SIM_LDS_CONFLICTS");
  config.check = (sim_hip_check_mode)read_choice("WT_SIM_CHECK", checks, "one of 0, 1, fail, strict");
  config.timing = read_choice("WT_SIM_TIMING", timings, "one of 0, 1, only, die");
  config.repeats = read_flag("WT_SIM_TIMING_REPEATS");
  read_profile();
}

const sim_hip_config *sim_hip_configuration(void) {
  pthread_once(&config_once, read_environment);
  return &config;
}
