// SPDX-License-Identifier: MIT
// Holds the settings of the runtime and its reports, which are read from the environment once.
#ifndef SIM_SETTINGS_CONFIG_H
#define SIM_SETTINGS_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sim_check_mode {
  SIM_CHECK_OFF,
  SIM_CHECK_REPORT,  // every launch is checked, and there is a report when the process ends
  SIM_CHECK_FAIL,    // in addition, errors fail the process
  SIM_CHECK_STRICT   // so do dependence on timing and what only the manual's table asks for
} sim_check_mode;

typedef struct sim_config {
  char devices[256];   // WT_SIM_DEVICES: chip names in device order, separated by commas; empty: not set
  unsigned hip_major;  // WT_SIM_HIP_VERSION: major release of headers of programs without a note; 0: not set
  bool quiet;          // WT_SIM_QUIET=1: no sentences and no fault reports on stderr
  bool lds_conflicts;  // WT_SIM_LDS_CONFLICTS=1: count LDS bank conflicts, report them when the process ends
  sim_check_mode check;  // WT_SIM_CHECK
  bool check_leaks;      // WT_SIM_CHECK_LEAKS=1: in check mode, report memory that is never freed
  bool check_unwritten;  // WT_SIM_CHECK_UNWRITTEN=1: in check mode, global memory begins undefined
  char report[1024];     // WT_SIM_REPORT: a file for the findings, as JSON; empty: none
  int timing;            // WT_SIM_TIMING: a wt_sim_timing_mode; WT_SIM_TIMING_ALL if unset while profiling
  int repeats;           // WT_SIM_TIMING_REPEATS: a wt_sim_timing_repeat
  char profile[4096];    // WT_SIM_PROFILE: folder for records of launches (sim/report/profile.h), or empty
  uint64_t profile_launches;  // WT_SIM_PROFILE_LAUNCHES: how many equal launches are timed in detail
  uint64_t profile_from;      // WT_SIM_PROFILE_FROM: from which cycle of the launch on
  uint64_t profile_issues;    // WT_SIM_PROFILE_ISSUES: how many issued instructions each record keeps
  char refused[1024];         // a sentence about the first setting that is wrong; empty: all are right
} sim_config;

const sim_config *sim_configuration(void);

#endif
