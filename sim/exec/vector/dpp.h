// SPDX-License-Identifier: MIT
// Says for DPP which lane each lane reads, for every value of DPP_CTRL.
#ifndef SIM_EXEC_VECTOR_DPP_H
#define SIM_EXEC_VECTOR_DPP_H

#include "sim/exec/wave.h"

typedef struct sim_dpp_map {
  uint8_t from[SIM_LANES];  // source lane; 0 where there is none
  uint64_t valid;           // lanes that have a source
  bool defined;             // the control exists on GFX9
} sim_dpp_map;

const sim_dpp_map *sim_dpp_map_of(unsigned ctrl);  // ctrl < 512

// Lanes that row_mask and bank_mask let an instruction write: bit r of row_mask enables lanes 16r to 16r +
// 15, bit b of bank_mask lanes 4b to 4b + 3 of every row.
uint64_t sim_dpp_lanes(unsigned row_mask, unsigned bank_mask);

#endif
