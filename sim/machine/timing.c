// SPDX-License-Identifier: MIT
// Holds the timing numbers of the chips. Sources: RPC is rocprofiler-compute's documentation and analysis
// configurations; ISA4 the AMD CDNA4 ISA; LLVM its scheduling models and hazard tables; CALC
// ROCm/amd_matrix_instruction_calculator; GGT ROCm/gfx950-gluon-tutorials; PYHIP tingqli/pyhip; META
// facebookexperimental/triton PR 2507; MT4G the caps-tum/mt4g report for an MI300X; SHARK
// nod-ai/amd-shark-ai. "Inferred" marks what follows from published numbers but was not published itself,
// "assumed" what nobody has measured.
#include "sim/machine/timing.h"

// Both chips share these numbers. This is a macro, because C initialisers cannot inherit.
#define ISSUE_OF_BOTH                                                                                       \
  .slot_cycles = 4,          /* one SIMD a cycle, in rotation (RPC) */                                      \
      .mfma_read_cycles = 2, /* inferred: 4 cycles for 2 registers, 8 for 4 (CALC: 4 * passes - 4 dense     \
                                and - 8 sparse; GGT kernels/attention/mfma_coissue_scheduling.md) */        \
      .mfma_least_read = 4,                                                                                 \
  .mfma_scale_cycles = 4,           /* hidden under the MFMA before (GGT docs/lds_throughput.md) */         \
      .packed_after_mfma = 8,       /* inferred: MFMA and one packed instruction take 12 cycles longer, the \
                                       next 4 (PYHIP docs/mfma-valu-coissue.md) */                          \
      .mfma_to_same = {2, 0, 0, 0}, /* ISA4 table 38, LLVM */                                               \
      .fetch_bytes = 32,            /* LLVM PR 203934; PYHIP docs/mfma-valu-coissue.md */                   \
      .fetch_cycles =                                                                                       \
          16, /* inferred: 8-byte instructions take 4.01 cycles at 0 and 5.01 at 4 modulo 8 (PYHIP) */      \
      .fetch_cache_bytes = 64u << 10, .fetch_line = 128, .fetch_ways = 8, .fetch_units = 2, /* RPC */       \
      .branch_cycles = 16,                                                                  /* assumed */   \
      .barrier_cycles = 8,                                                                  /* assumed */   \
      .store_read_cycles = 58 /* assumed: half of a hit in L1. At least some 10: kernels that ship for      \
                                 gfx942 store what an LDS read brings that late */

#define MEMORY_OF_BOTH                                                                                       \
  .lds_in_bytes = 64,               /* RPC; only reads are said to be twice as wide on gfx950 (GGT) */       \
      .vmem_queue = 12,             /* GGT docs/tcp_bound_tile_model.md */                                   \
      .line_bytes = 128,            /* RPC */                                                                \
      .tcp_bytes = 32u << 10,       /* RPC */                                                                \
      .tcp_ways = 64,               /* RPC */                                                                \
      .tcp_flight_bytes = 32 << 10, /* GGT docs/tcp_bound_tile_model.md */                                   \
      .tcp_clock_bytes = 64,        /* RPC; a load of 16 bytes per lane takes 16 cycles (GGT, PYHIP          \
                                       vmem-fifo.md) */                                                      \
      .scalar_latency = 48,         /* MT4G */                                                               \
      .scalar_bytes = 16u << 10, .scalar_line = 64, /* RPC */                                                \
      .tcp_latency = 116, .l2_latency = 287,        /* MT4G, MI300X */                                       \
      .l2_channels = 16, .l2_ways = 16,             /* RPC, SHARK */                                         \
      .l2_write_bytes = 26.2,           /* MT4G, MI300X: 6562 GiB/s over 8 dies x 16 channels at 2100 MHz */ \
      .write_granule = 64,              /* RPC */                                                            \
      .llc_bytes = UINT64_C(256) << 20, /* data sheets; AMD CDNA 3 white paper */                            \
      .engines = 4,                     /* RPC; PYHIP se-dispatch.md */                                      \
      .wave_launch_cycles = 4           /* assumed */

const sim_timing sim_timing_gfx942 = {
    ISSUE_OF_BOTH,
    .valu_latency = 4,              // PYHIP: 4.01 cycles an instruction; not measured for dependent ones
    .trans_cycles = 16,             // PYHIP docs/mfma-valu-coissue.md
    .mfma_to_use = {5, 7, 11, 19},  // ISA4 table 38, LLVM
    .mfma_to_overlap = {3, 5, 9, 17},
    .lds_out_bytes = 64,    // PYHIP docs/mem_latency.md: b128 takes one wave 16 cycles
    .lds_copy_bytes = 128,  // assumed: all banks; the data does not come by the ports of the SIMD pairs
    .lds_latency = 40,      // PYHIP: 64 cycles for b128 and 52 for b32, less the transfer
    .lds_queue = 8,         // GGT docs/lds_throughput.md, for gfx950
    MEMORY_OF_BOTH,
    .llc_latency = 496,  // MT4G: L2 hit + miss penalty 209
    .hbm_latency = 900,  // MT4G
    // There are four I/O dies in a square (AMD CDNA 3 white paper): memory is one crossing away in the mean.
    // Where it is local (NPS4) the LLC answers up to 1.42 times sooner ("The MALL is Open", SC25): 349
    // cycles.
    .io_dies = 4,
    .crossing_cycles = 147,
    .l2_read_bytes = 64,  // inferred: MT4G reads 14365 GiB/s, 57 bytes a channel and cycle
    .llc_peak = 1024,     // AMD CDNA 3 white paper: 17.2 TB/s, 16 ways and slices of 64 bytes
    // MT4G found, at 2100 MHz and of 8 dies, 5400 GiB/s from the LLC, and 3690 and 4117 GiB/s from and to
    // HBM.
    .llc_rate = 345,
    .hbm_rate = 236,
    .hbm_write_rate = 263,
    // Inferred: the shortest of 23446 kernel times published for this chip (ROCm/aiter e4048607,
    // aiter/configs) is 3.01 us, of a product of 2 x 6144 x 256; the model takes 1.70 us for its shortest
    // kernel of that size.
    .launch_ns = 1310,
    // Inferred: the peak when idle, and 1553 MHz (mean of the dies) at 84% (GGT
    // kernels/gemm/gfx942/intra_wave/note.md).
    .clock_idle = 2100,
    .clock_slope = 6.5,
};

const sim_timing sim_timing_gfx950 = {
    ISSUE_OF_BOTH,
    .valu_latency = 8,              // META, AMDLatencyModel.h: dependent FMA
    .trans_cycles = 8,              // LLVM PR 156411; GGT kernels/attention
    .mfma_to_use = {5, 8, 12, 20},  // ISA4 table 38, LLVM
    .mfma_to_overlap = {4, 6, 10, 18},
    .lds_out_bytes = 128,   // GGT docs/lds_throughput.md
    .lds_copy_bytes = 256,  // assumed: what the array serves (GGT docs/lds_throughput.md 1.3), as above
    .lds_latency = 56,      // GGT: first data after 50 to 70 cycles; META: 69
    .lds_queue = 8,         // GGT docs/lds_throughput.md
    MEMORY_OF_BOTH,
    // What lies beyond L2 does not slow down with the compute units' clock, which was 2200 MHz for META and
    // 2100 for MT4G. LLC: META's 790 cycles. It calls them HBM's, of a pointer chase of unpublished size;
    // that they are the LLC's, which a chase through less than 256 MB measures, is inferred from published
    // kernels: one that streams from HBM with few work-groups (GGT kernels/memory_bound/gemm) fits 600 ns,
    // not 360. HBM: MT4G's 404 cycles more, of an MI300X.
    .llc_latency = 836,
    .hbm_latency = 1298,
    .io_dies = 2,            // AMD, Hot Chips 2025
    .crossing_cycles = 168,  // assumed: the 70 ns of MI300X
    .l2_read_bytes = 128,    // RPC
    .llc_peak = 896,         // the same, at 2400 MHz
    // These are 17.2 TB/s of the LLC (RPC, for MI300X; not measured here) at 2400 MHz, of 8 dies. HBM: 6442
    // GB/s is the best of the skinny GEMMs (GGT docs/memory_bound_analysis.md); writes are not measured here:
    // MI300X's share of its read bandwidth (MT4G) times this chip's reads would exceed them, so the same is
    // assumed.
    .llc_rate = 896,
    .hbm_rate = 335,
    .hbm_write_rate = 335,
    .launch_ns = 690,    // likewise: 2.41 us of 23739 times, 4 x 256 x 512, and 1.72 us
    .clock_idle = 2714,  // GGT kernels/attention/note.md, a fit over 17 kernels at the power cap
    .clock_slope = 12.4,
};
