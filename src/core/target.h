// SPDX-License-Identifier: MIT
// The targets the library has kernels for, and what the choice among kernels needs to know of them.
#ifndef WT_SRC_TARGET_H
#define WT_SRC_TARGET_H

#include <stdbool.h>

enum { WT_XCDS = 8 };  // dies with an L2 of their own, on both chips (AMD, CDNA 3 and CDNA 4 white papers)

typedef enum wt_target_id { WT_GFX942, WT_GFX950, WT_TARGET_IDS } wt_target_id;

// Rates are bytes per cycle and latencies are cycles, both of the largest clock.
typedef struct wt_target {
  wt_target_id id;
  const char *name;        // "gfx950"
  bool ocp;                // FP8 is OCP; else FNUZ
  double macs_16, macs_8;  // dense products per clock and CU, for 16-bit and for 8-bit inputs
  int step_bytes;   // bytes of K that the library's tiled kernels take at once (kernels/gemm/gemm_frame.h)
  double lds_rate;  // what a CU's LDS gives its waves
  double l1_rate;   // what a CU's L1 gives its waves
  double l1_flight_bytes;                       // that a CU's L1 can wait for at once
  double l2_write_rate;                         // what the L2 of a die takes from its CUs
  double llc_bytes;                             // of the last-level cache
  double llc_rate;                              // what it gives the L2s of all dies
  double hbm_rate;                              // what memory gives the last-level cache
  double l1_latency, llc_latency, hbm_latency;  // from a wave's load to its use
} wt_target;

// Returns the target of that name; NULL when the library has no kernels for it.
const wt_target *wt_target_find(const char *name);

#endif
