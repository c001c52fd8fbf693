// SPDX-License-Identifier: MIT
// Describes how LDS serves an instruction: in phases, each of which serves some of the lanes, over banks one
// dword wide.
#ifndef SIM_MACHINE_LDS_BANKS_H
#define SIM_MACHINE_LDS_BANKS_H

#include <stdint.h>

typedef enum sim_lds_kind {
  SIM_LDS_READ,   // reads, transposed reads, atomics
  SIM_LDS_WRITE,  // writes
  SIM_LDS_COPY    // direct-to-LDS copies
} sim_lds_kind;

enum { SIM_LDS_KINDS = 3, SIM_LDS_WIDTHS = 4, SIM_LDS_MAX_PHASES = 8, SIM_LDS_MAX_BANKS = 64 };

typedef struct sim_lds_rule {
  uint32_t banks;  // 32 or 64; bank of a byte address = address / 4 % banks
  uint32_t phases;
  uint64_t lanes[SIM_LDS_MAX_PHASES];  // the lanes each phase serves
} sim_lds_rule;

typedef struct sim_lds_banks {
  sim_lds_rule rule[SIM_LDS_KINDS][SIM_LDS_WIDTHS];  // [sim_lds_kind][dwords per lane - 1]
} sim_lds_banks;

extern const sim_lds_banks sim_lds_banks_gfx942, sim_lds_banks_gfx950;

#endif
