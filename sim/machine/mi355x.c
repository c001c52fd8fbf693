// SPDX-License-Identifier: MIT
// Describes AMD Instinct MI355X (gfx950).
#include "sim/machine/chips.h"

const sim_machine sim_machine_mi355x = {
    .chip = SIM_GFX950,
    .name = "mi355x",
    .product = "AMD Instinct MI355X (simulated)",
    .target = "gfx950",
    // SRAM ECC is on and XNACK off, the default configuration (LLVM AMDGPUUsage, "Target Features").
    .target_id = "gfx950:sramecc+:xnack-",
    // There are 8 dies x 32 active of 36 compute units (AMD CDNA 4 white paper; rocprofiler-compute's SoC
    // table).
    .xcds = 8,
    .cus = 256,
    // There are 1024 SIMDs with 8 wave slots each (HSA agent information as printed by rocminfo).
    .simds_per_cu = 4,
    .waves_per_simd = 8,
    // There are 160 KiB per CU, all of which one work-group may take (AMD CDNA 4 ISA, chapter 11), allocated
    // in units of 320 dwords (LLVM AMDGPUUsage, compute_pgm_rsrc2 GRANULATED_LDS_SIZE).
    .lds_bytes = 160u << 10,
    .lds_granule = 1280,
    .lds_banks = &sim_lds_banks_gfx950,
    .max_workgroup_size = 1024,  // LLVM AMDGPUUsage, amdgpu-flat-work-group-size; rocminfo
    .clock_mhz = 2400,           // peak engine clock (AMD Instinct MI355X data sheet; rocminfo)
    // This is HBM3E at 8 Gb/s per pin on 8 stacks x 1024 bits: 8 TB/s, rounded up to 8.19 (AMD Instinct
    // MI355X data sheet).
    .memory_clock_mhz = 4000,
    .memory_bus_bits = 8192,
    .memory_bytes = UINT64_C(288) << 30,  // 8 stacks x 36 GB (AMD Instinct MI355X data sheet)
    .l2_bytes = 4u << 20,                 // 16 channels x 256 KiB per die (rocprofiler-compute's SoC table)
    .timing = &sim_timing_gfx950,
};
