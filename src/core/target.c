// SPDX-License-Identifier: MIT
// Holds the table of targets.
#include "target.h"

#include <stddef.h>
#include <string.h>

// Sources: RPC is rocprofiler-compute's documentation, GGT is ROCm/gfx950-gluon-tutorials, PYHIP is
// tingqli/pyhip, META is facebookexperimental/triton PR 2507, MT4G is the caps-tum/mt4g report for an MI300X
// at 2100 MHz. docs/timing.md discusses them.
static const wt_target targets[] = {
    {
        .id = WT_GFX942,
        .name = "gfx942",
        .ocp = false,
        // This is half of the FLOP per clock of the densest MFMA (AMD matrix instruction calculator).
        .macs_16 = 1024,
        .macs_8 = 2048,
        .step_bytes = 64,
        .lds_rate = 128,              // two pairs of SIMDs with 64 each (PYHIP docs/mem_latency.md)
        .l1_rate = 64,                // RPC
        .l1_flight_bytes = 32 << 10,  // GGT docs/tcp_bound_tile_model.md, of gfx950
        .l2_write_rate = 16 * 26.2,   // 16 channels (RPC); 6562 GiB/s over 8 dies (MT4G)
        .llc_bytes = 256 << 20,       // AMD CDNA 3 white paper
        .llc_rate = 5400.0 * (1 << 30) / 2.1e9,  // 5400 GiB/s (MT4G)
        .hbm_rate = 3690.0 * (1 << 30) / 2.1e9,  // 3690 GiB/s (MT4G)
        .l1_latency = 116,
        .llc_latency = 496,
        .hbm_latency = 900,  // all three: MT4G
    },
    {
        .id = WT_GFX950,
        .name = "gfx950",
        .ocp = true,
        .macs_16 = 2048,  // likewise (CDNA 4 ISA 7.1; LLVM's schedules for CDNA 4)
        .macs_8 = 4096,
        .step_bytes = 128,
        .lds_rate = 256,               // two pairs of SIMDs with 128 each (GGT docs/lds_throughput.md)
        .l1_rate = 64,                 // RPC
        .l1_flight_bytes = 32 << 10,   // GGT docs/tcp_bound_tile_model.md
        .l2_write_rate = 16 * 26.2,    // taken from MI300X
        .llc_bytes = 256 << 20,        // AMD CDNA 4 white paper
        .llc_rate = 17.2e12 / 2.4e9,   // 17.2 TB/s (RPC, of MI300X)
        .hbm_rate = 6.442e12 / 2.4e9,  // 6442 GB/s (GGT docs/memory_bound_analysis.md)
        .l1_latency = 116,             // MT4G
        .llc_latency = 836,            // META: 790 cycles at 2200 MHz
        .hbm_latency = 1298,           // 404 cycles at 2100 MHz more (MT4G)
    },
};

const wt_target *wt_target_find(const char *name) {
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i)
    if (strcmp(targets[i].name, name) == 0) return &targets[i];
  return NULL;
}
