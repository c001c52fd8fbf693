// SPDX-License-Identifier: MIT
// The DPP lane maps (CDNA3 ISA, table of DPP_CTRL encodings), built once.
#include "sim/exec/vector/dpp.h"

#include <pthread.h>

enum { NO_SOURCE = -1, UNDEFINED = -2 };

static int source_lane(unsigned ctrl, int lane) {
  int in_row = lane & 15, base = lane & ~15, n = (int)(ctrl & 15);
  if (ctrl <= 0xff) return (lane & ~3) | (int)(ctrl >> (2 * (lane & 3)) & 3);  // quad_perm
  switch (ctrl & 0x1f0) {
    case 0x100: return n == 0 ? UNDEFINED : in_row + n < 16 ? lane + n : NO_SOURCE;  // row_shl
    case 0x110: return n == 0 ? UNDEFINED : in_row >= n ? lane - n : NO_SOURCE;      // row_shr
    case 0x120: return n == 0 ? UNDEFINED : base | ((in_row - n) & 15);              // row_ror
    case 0x150: return base | n;                                                     // row_newbcast
    default: break;
  }
  switch (ctrl) {
    case 0x130: return lane < 63 ? lane + 1 : NO_SOURCE;  // wave_shl
    case 0x134: return (lane + 1) & 63;                   // wave_rol
    case 0x138: return lane > 0 ? lane - 1 : NO_SOURCE;   // wave_shr
    case 0x13c: return (lane - 1) & 63;                   // wave_ror
    case 0x140: return base | (15 - in_row);              // row_mirror
    case 0x141: return (lane & ~7) | (7 - (lane & 7));    // row_half_mirror
    case 0x142: return base > 0 ? base - 1 : NO_SOURCE;   // row_bcast15: last lane of the row before
    case 0x143: return lane >= 32 ? 31 : NO_SOURCE;       // row_bcast31: lane 31 to rows 2 and 3
    default: return UNDEFINED;
  }
}

static sim_dpp_map maps[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void build(void) {
  for (unsigned ctrl = 0; ctrl < 512; ++ctrl) {
    sim_dpp_map *map = &maps[ctrl];
    map->defined = source_lane(ctrl, 0) != UNDEFINED;
    for (int lane = 0; lane < SIM_LANES && map->defined; ++lane) {
      int from = source_lane(ctrl, lane);
      if (from < 0) continue;
      map->from[lane] = (uint8_t)from;
      map->valid |= 1ull << lane;
    }
  }
}

const sim_dpp_map *sim_dpp_map_of(unsigned ctrl) {
  pthread_once(&once, build);
  return &maps[ctrl & 511];
}

uint64_t sim_dpp_lanes(unsigned row_mask, unsigned bank_mask) {
  uint64_t banks = 0, lanes = 0;
  for (int bank = 0; bank < 4; ++bank)
    if (bank_mask >> bank & 1) banks |= 0xfull << (4 * bank);
  for (int r = 0; r < 4; ++r)
    if (row_mask >> r & 1) lanes |= banks << (16 * r);
  return lanes;
}
