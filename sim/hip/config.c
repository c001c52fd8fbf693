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

static bool is_set(const char *text) { return text && strcmp(text, "") != 0 && strcmp(text, "0") != 0; }

// WT_SIM_TIMING: unset or 0, 1, only, die.
static int read_timing(const char *text) {
  if (!is_set(text)) return SIM_TIMING_OFF;
  if (strcmp(text, "die") == 0) return SIM_TIMING_DIE;
  return strcmp(text, "only") == 0 ? SIM_TIMING_ONLY : SIM_TIMING_ALL;
}

// A whole number from `least` on, else `otherwise`.
static long long read_number(const char *text, long long least, long long otherwise) {
  char *end = NULL;
  long long value = text ? strtoll(text, &end, 10) : 0;
  return end && end != text && !*end && value >= least ? value : otherwise;
}

static void read_profile(void) {
  const char *folder = getenv("WT_SIM_PROFILE");
  snprintf(config.profile, sizeof config.profile, "%s", folder ? folder : "");
  config.profile_launches = read_number(getenv("WT_SIM_PROFILE_LAUNCHES"), 1, 1);
  config.profile_issues = read_number(getenv("WT_SIM_PROFILE_ISSUES"), 0, 1 << 17);
  config.profile_from = read_number(getenv("WT_SIM_PROFILE_FROM"), 0, 0);
  if (config.profile[0] && config.timing == SIM_TIMING_OFF) config.timing = SIM_TIMING_ALL;
}

static void read_environment(void) {
  const char *devices = getenv("WT_SIM_DEVICES");
  snprintf(config.devices, sizeof config.devices, "%s", devices ? devices : "mi355x,mi300x");
  config.quiet = is_set(getenv("WT_SIM_QUIET"));
  config.lds_conflicts = is_set(getenv("WT_SIM_LDS_CONFLICTS"));
  const char *check = getenv("WT_SIM_CHECK"), *report = getenv("WT_SIM_REPORT");
  config.check = is_set(check);
  config.check_fails = config.check && strcmp(check, "fail") == 0;
  snprintf(config.report, sizeof config.report, "%s", report ? report : "");
  config.timing = read_timing(getenv("WT_SIM_TIMING"));
  read_profile();
}

const sim_hip_config *sim_hip_configuration(void) {
  pthread_once(&config_once, read_environment);
  return &config;
}
