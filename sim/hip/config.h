// SPDX-License-Identifier: MIT
// The environment of the HIP surface, read once.
#ifndef SIM_HIP_CONFIG_H
#define SIM_HIP_CONFIG_H

#include <stdbool.h>

typedef struct sim_hip_config {
  char devices[256];   // WT_SIM_DEVICES: chip names in device order, separated by commas
  bool quiet;          // WT_SIM_QUIET=1: no sentences and no fault reports on stderr
  bool lds_conflicts;  // WT_SIM_LDS_CONFLICTS=1: count LDS bank conflicts, report them when the process ends
  int timing;          // WT_SIM_TIMING: a sim_timing_mode
} sim_hip_config;

const sim_hip_config *sim_hip_configuration(void);

#endif
