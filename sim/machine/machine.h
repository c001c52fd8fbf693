// SPDX-License-Identifier: MIT
// Holds one description per simulated chip. Every number has its source beside it in the chip's table.
#ifndef SIM_MACHINE_MACHINE_H
#define SIM_MACHINE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "include/wavetile_sim.h"
#include "sim/machine/lds_banks.h"
#include "sim/machine/timing.h"

typedef enum sim_chip { SIM_GFX942, SIM_GFX950 } sim_chip;

typedef struct sim_machine {
  sim_chip chip;
  const char *name;       // "mi355x": the name WT_SIM_DEVICES and --device take
  const char *product;    // "AMD Instinct MI355X (simulated)"
  const char *target;     // "gfx950"
  const char *target_id;  // "gfx950:sramecc+:xnack-"
  uint32_t xcds, cus;     // accelerator complex dies, active compute units of the whole chip
  uint32_t simds_per_cu, waves_per_simd;
  uint32_t lds_bytes;    // per CU, and the most one work-group may take
  uint32_t lds_granule;  // LDS allocation granule in bytes
  const sim_lds_banks *lds_banks;
  uint32_t max_workgroup_size;
  uint32_t clock_mhz, memory_clock_mhz, memory_bus_bits;
  uint64_t memory_bytes;  // HBM
  uint32_t l2_bytes;      // per XCD
  const sim_timing *timing;
} sim_machine;

// Return the bytes per cycle that all units of a level together pass on at most: L1 (TCP) to and from the
// lanes, L2 to and from L1, the LLC to and from L2, HBM to and from the LLC. The numbers are those of
// `timing`, with which the model times them, and have their sources there: for L1 and for reads of L2 the
// width of the hardware, for the rest what was measured.
double sim_level_read_rate(const sim_machine *machine, wt_sim_level level);
double sim_level_write_rate(const sim_machine *machine, wt_sim_level level);

const sim_machine *sim_machine_find(const char *name);  // the machine of that name; NULL when unknown
const sim_machine *sim_machine_at(size_t index);        // each known chip; NULL past the end

#endif
