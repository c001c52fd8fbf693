// SPDX-License-Identifier: MIT
// The table of targets.
#include "target.h"

#include <stddef.h>
#include <string.h>

// Products per clock: half of the FLOP per clock of the densest MFMA (AMD matrix instruction calculator for
// CDNA 3, CDNA 4 ISA 7.1 and LLVM's schedules for CDNA 4). Bytes per clock: HBM bandwidth over the largest
// clock, 5.3 TB/s at 2.1 GHz (AMD, MI300X) and 8.0 TB/s at 2.4 GHz (AMD, MI355X).
static const wt_target targets[] = {
    {"gfx942", false, 1024, 2048, 5.3e12 / 2.1e9, 64},
    {"gfx950", true, 2048, 4096, 8.0e12 / 2.4e9, 128},
};

const wt_target *wt_target_find(const char *name) {
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i)
    if (strcmp(name, targets[i].name) == 0) return &targets[i];
  return NULL;
}
