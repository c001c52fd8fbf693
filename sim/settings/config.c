// SPDX-License-Identifier: MIT
// Reads the environment.
#include "sim/settings/config.h"

#include <pthread.h>
#include <stdio.h>

#include "include/wavetile_sim.h"
#include "sim/settings/environment.h"

static sim_config config;
static pthread_once_t config_once = PTHREAD_ONCE_INIT;

static void copy_text(sim_env variable, char *out, size_t size) {
  const char *text = sim_env_text(variable);
  snprintf(out, size, "%s", text ? text : "");
}

static void read_environment(void) {
  sim_env_all_valid(config.refused, sizeof config.refused);
  copy_text(SIM_ENV_DEVICES, config.devices, sizeof config.devices);
  copy_text(SIM_ENV_REPORT, config.report, sizeof config.report);
  copy_text(SIM_ENV_PROFILE, config.profile, sizeof config.profile);
  const int version = sim_env_choice(SIM_ENV_HIP_VERSION, -1);
  config.hip_major = version < 0 ? 0 : 5 + (unsigned)version;
  config.quiet = sim_env_choice(SIM_ENV_QUIET, 0);
  config.lds_conflicts = sim_env_choice(SIM_ENV_LDS_CONFLICTS, 0);
  config.check = (sim_check_mode)sim_env_choice(SIM_ENV_CHECK, SIM_CHECK_OFF);
  config.check_leaks = config.check && sim_env_choice(SIM_ENV_CHECK_LEAKS, 0);
  config.check_unwritten = config.check && sim_env_choice(SIM_ENV_CHECK_UNWRITTEN, 0);
  config.timing = sim_env_choice(SIM_ENV_TIMING, WT_SIM_TIMING_OFF);
  if (*config.profile && config.timing == WT_SIM_TIMING_OFF) config.timing = WT_SIM_TIMING_ALL;
  config.repeats = sim_env_choice(SIM_ENV_TIMING_REPEATS, 0);
  config.profile_launches = sim_env_number(SIM_ENV_PROFILE_LAUNCHES, 1);
  config.profile_issues = sim_env_number(SIM_ENV_PROFILE_ISSUES, 1 << 17);
  config.profile_from = sim_env_number(SIM_ENV_PROFILE_FROM, 0);
}

const sim_config *sim_configuration(void) {
  pthread_once(&config_once, read_environment);
  return &config;
}
