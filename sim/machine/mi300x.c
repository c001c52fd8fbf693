// SPDX-License-Identifier: MIT
// Describes AMD Instinct MI300X (gfx942).
#include "sim/machine/chips.h"

const sim_machine sim_machine_mi300x = {
    .chip = SIM_GFX942,
    .name = "mi300x",
    .product = "AMD Instinct MI300X (simulated)",
    .target = "gfx942",
    // SRAM ECC is on and XNACK off, the default configuration (LLVM AMDGPUUsage, "Target Features").
    .target_id = "gfx942:sramecc+:xnack-",
    // There are 8 dies x 38 active of 40 compute units (AMD CDNA 3 white paper; rocprofiler-compute's SoC
    // table).
    .xcds = 8,
    .cus = 304,
    // There are 4 SIMDs per CU (AMD CDNA 3 white paper), 8 wave slots each (rocprofiler-compute's SoC table).
    .simds_per_cu = 4,
    .waves_per_simd = 8,
    // There are 64 KiB per CU (AMD Instinct MI300 ISA, "Data share"), allocated in units of 128 dwords (LLVM
    // AMDGPUUsage, compute_pgm_rsrc2 GRANULATED_LDS_SIZE).
    .lds_bytes = 64u << 10,
    .lds_granule = 512,
    .lds_banks = &sim_lds_banks_gfx942,
    .max_workgroup_size = 1024,  // LLVM AMDGPUUsage, amdgpu-flat-work-group-size; rocminfo
    .clock_mhz = 2100,           // peak engine clock (AMD Instinct MI300X data sheet; rocminfo)
    // This is HBM3 at 5.2 Gb/s per pin on 8 stacks x 1024 bits: 5.3 TB/s (AMD Instinct MI300X data sheet).
    .memory_clock_mhz = 2600,
    .memory_bus_bits = 8192,
    .memory_bytes = UINT64_C(192) << 30,  // 8 stacks x 24 GB (AMD Instinct MI300X data sheet)
    .l2_bytes = 4u << 20,                 // 16 channels x 256 KiB per die (rocprofiler-compute's SoC table)
    .timing = &sim_timing_gfx942,
};
