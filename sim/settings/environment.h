// SPDX-License-Identifier: MIT
// Declares the settings of the simulated device: the variables of the environment whose names begin with
// WT_SIM_. One table (environment.c) says what each may be, for those who read them and for those who refuse
// wrong ones. docs/simulator.md says what they mean. A variable that is empty counts as not set.
#ifndef SIM_SETTINGS_ENVIRONMENT_H
#define SIM_SETTINGS_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sim_env {
  SIM_ENV_BUDGET,
  SIM_ENV_CHECK,
  SIM_ENV_CHECK_LEAKS,
  SIM_ENV_CHECK_UNWRITTEN,
  SIM_ENV_COMPUTE_UNITS,
  SIM_ENV_DEVICES,
  SIM_ENV_FAULT,
  SIM_ENV_HIP_VERSION,
  SIM_ENV_HOST,
  SIM_ENV_LDS_CONFLICTS,
  SIM_ENV_MFMA,
  SIM_ENV_PROFILE,
  SIM_ENV_PROFILE_FROM,
  SIM_ENV_PROFILE_ISSUES,
  SIM_ENV_PROFILE_LAUNCHES,
  SIM_ENV_PROGRESS,
  SIM_ENV_QUIET,
  SIM_ENV_REPORT,
  SIM_ENV_RESIDENT,
  SIM_ENV_SCHEDULE,
  SIM_ENV_SOFFSET,
  SIM_ENV_TALLY,
  SIM_ENV_THREADS,
  SIM_ENV_TIMING,
  SIM_ENV_TIMING_REPEATS,
  SIM_ENV_TIMING_ROUNDS,
  SIM_ENV_COUNT
} sim_env;

enum { SIM_ENV_DEVICES_MOST = 16 };  // chips that SIM_ENV_DEVICES may list

const char *sim_env_name(sim_env variable);
// Returns what a setting does, and what holds when it is not set: a phrase each, for users.
const char *sim_env_help(sim_env variable);
const char *sim_env_otherwise(sim_env variable);
// Writes the values that the setting may have, separated by commas, or what they are.
void sim_env_values(sim_env variable, char *out, size_t size);
// Returns the value, or NULL when the variable is not set.
const char *sim_env_text(sim_env variable);
// Returns the index of the value in the order that the table gives; `otherwise` when the variable is not set
// or wrong.
int sim_env_choice(sim_env variable, int otherwise);
// Returns the value as a number, or the number behind the colon of a choice such as random:SEED; `otherwise`
// when the variable is not set or wrong.
uint64_t sim_env_number(sim_env variable, uint64_t otherwise);

// Returns whether the variable is not set or has a value that it may have; if not, a sentence is written to
// `message`.
bool sim_env_valid(sim_env variable, char *message, size_t size);
// Returns whether `text` is a value that the variable may have; if not, a sentence is written to `message`.
bool sim_env_accepts(sim_env variable, const char *text, char *message, size_t size);
// Returns whether every variable of the environment whose name begins with WT_SIM_ is a setting with a value
// that it may have; if not, a sentence about the first wrong one is written to `message`.
bool sim_env_all_valid(char *message, size_t size);

#endif
