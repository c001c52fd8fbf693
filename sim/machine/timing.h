// SPDX-License-Identifier: MIT
// Says how long things take on a chip: what the timing model (sim/timing) knows about hardware. Cycles are
// shader clocks. Every number has its source beside it in the chip's table; where nobody has measured one,
// the table says so.
#ifndef SIM_MACHINE_TIMING_H
#define SIM_MACHINE_TIMING_H

#include <stdint.h>

typedef struct sim_timing {
  // ---- issue and vector units
  uint32_t slot_cycles;   // cycles between two issue slots of a SIMD
  uint32_t valu_latency;  // from the issue of a vector instruction to the issue of one that needs its result
  uint32_t trans_cycles;  // how long one transcendental instruction occupies the VALU port
  uint32_t mfma_read_cycles;   // to read operands, for each register of the wider of A and B
  uint32_t mfma_least_read;    // the least that reading operands takes
  uint32_t mfma_scale_cycles;  // to load the scales of a scaled MFMA
  uint32_t packed_after_mfma;  // packed f32 waits this long after the end of the wave's own MFMA
  uint32_t mfma_to_use[4];     // wait states from an MFMA of 2, 4, 8, 16 passes to any other use
  uint32_t
      mfma_to_overlap[4];    // ... to an MFMA that accumulates on overlapping or differently made registers
  uint32_t mfma_to_same[4];  // ... to the same opcode accumulating on exactly the same registers
  uint32_t fetch_bytes;      // instruction fetch window
  uint32_t fetch_cycles;     // from the first issue out of one window until the next is there
  uint32_t fetch_cache_bytes, fetch_line, fetch_ways;  // the instruction cache
  uint32_t fetch_units;                                // compute units that share one
  uint32_t branch_cycles;                              // from a taken branch to the next instruction
  uint32_t barrier_cycles;                             // from the last arrival to the release
  uint32_t store_read_cycles;  // from the issue of a store to the reading of its data from registers
  // ---- LDS
  uint32_t lds_in_bytes;    // per cycle, from a pair of SIMDs to LDS: addresses and data
  uint32_t lds_out_bytes;   // per cycle, from LDS to a pair of SIMDs
  uint32_t lds_copy_bytes;  // per cycle, from a direct-to-LDS copy into the banks
  uint32_t lds_latency;     // from the service of a read to its first data
  uint32_t lds_queue;       // requests of a pair of SIMDs that wait or are served
  // ---- vector memory of a compute unit
  uint32_t vmem_queue;  // most instructions that are issued but not yet accepted by the L1 cache (TCP)
  uint32_t line_bytes;  // line of L1 and L2
  uint32_t tcp_bytes, tcp_ways;  // L1 capacity
  uint32_t tcp_flight_bytes;     // bytes in flight between L1 and L2
  uint32_t tcp_clock_bytes;      // per cycle: addresses, data return and fill
  uint32_t scalar_latency;       // scalar load that hits its cache
  uint32_t scalar_bytes, scalar_line;
  // ---- memory of a die; latencies count from L1's acceptance to the first data
  uint32_t tcp_latency, l2_latency, llc_latency, hbm_latency;
  // The latencies beyond L2 are means. Each I/O die has its share of the memory channels and of the compute
  // dies; a request to the next I/O die and back takes crossing_cycles more.
  uint32_t io_dies, crossing_cycles;
  uint32_t l2_channels, l2_ways;
  double l2_read_bytes;    // per cycle and channel
  double l2_write_bytes;   // per cycle and channel
  uint32_t write_granule;  // bytes a partial write occupies at least
  uint64_t llc_bytes;      // LLC capacity of the whole chip
  // Bytes per cycle, a die's share: what the widths of the LLC's slices and of the links to them allow
  // (llc_peak), and what was measured of the LLC and of HBM.
  double llc_peak, llc_rate, hbm_rate, hbm_write_rate;
  // ---- dispatch
  uint32_t engines;             // shader engines of a die
  uint32_t wave_launch_cycles;  // between two waves that an engine starts
  uint32_t launch_ns;           // nanoseconds of a launch besides those from its first wave to its end
  // ---- clock under load: MHz = clock_idle - clock_slope * (MFMA efficiency in percent), at most the peak
  double clock_idle, clock_slope;
} sim_timing;

extern const sim_timing sim_timing_gfx942, sim_timing_gfx950;

#endif
