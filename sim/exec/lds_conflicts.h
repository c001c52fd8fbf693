// SPDX-License-Identifier: MIT
// Counts the cycles that LDS bank conflicts add to each instruction, when somebody asks: a model after the
// published tables of sim/machine/lds_banks.c, without any effect on what a program computes.
#ifndef SIM_EXEC_LDS_CONFLICTS_H
#define SIM_EXEC_LDS_CONFLICTS_H

#include <stdint.h>

#include "sim/machine/lds_banks.h"

typedef struct sim_lds_count {  // of one instruction of a program
  uint64_t executions;          // executions by waves that accessed LDS with it
  uint64_t conflict_cycles;
} sim_lds_count;

// Returns the cycles that an access takes beyond one per phase. A phase takes as many cycles as its worst
// bank holds distinct dwords: lanes that access the same dword share it free (rocprofiler-compute
// documentation; nod-ai/amd-shark-ai docs/empirical-lds). Lane l accesses `bytes` bytes, at most 16, from
// address[l] on, if its bit in `lanes` is set.
uint64_t sim_lds_conflict_cycles(const sim_lds_rule *rule, uint32_t bytes, uint64_t lanes,
                                 const uint64_t address[64]);

#endif
