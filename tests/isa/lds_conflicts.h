// SPDX-License-Identifier: MIT
// Shared by the tests of LDS bank conflicts: the specification computed by brute force, and runs that count.
#ifndef WT_TESTS_ISA_LDS_CONFLICTS_H
#define WT_TESTS_ISA_LDS_CONFLICTS_H

#include "tests/isa/harness.h"

typedef enum lds_way { LDS_READ, LDS_WRITE, LDS_COPY } lds_way;

// Conflict cycles the published tables give one access: `bytes` bytes of every lane in the mask from
// address[lane] on.
uint64_t lds_expected(const char *target, lds_way way, unsigned bytes, uint64_t lanes,
                      const uint32_t address[SIM_LANES]);

// Runs what isa_begin prepared with counting on and returns the sums over all instructions.
sim_lds_count lds_run_counted(isa_program *p);

#endif
