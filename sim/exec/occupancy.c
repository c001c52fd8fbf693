// SPDX-License-Identifier: MIT
// Computes how many work-groups fit into a compute unit.
#include "sim/exec/occupancy.h"

#include "sim/exec/launch.h"

static uint32_t round_up(uint32_t value, uint32_t step) { return (value + step - 1) / step * step; }

// rsrc1[5:0] is the unified register count / 8 - 1 (LLVM AMDGPUUsage, compute_pgm_rsrc1).
uint32_t sim_allocated_vgprs(const sim_kernel *kernel) { return ((kernel->rsrc1 & 63) + 1) * 8; }

uint32_t sim_occupancy(const sim_machine *machine, const sim_kernel *kernel, uint32_t block_size,
                       uint32_t dynamic_lds) {
  if (block_size == 0 || block_size > machine->max_workgroup_size) return 0;
  uint32_t waves = (block_size + 63) / 64;
  uint32_t waves_per_simd = 512 / sim_allocated_vgprs(kernel);
  if (waves_per_simd > machine->waves_per_simd) waves_per_simd = machine->waves_per_simd;
  uint32_t groups = waves_per_simd * machine->simds_per_cu / waves;
  uint32_t lds = round_up(kernel->lds_bytes + dynamic_lds, machine->lds_granule);
  if (lds > machine->lds_bytes) return 0;
  if (lds && machine->lds_bytes / lds < groups) groups = machine->lds_bytes / lds;
  return groups;
}
