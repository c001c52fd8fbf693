// SPDX-License-Identifier: MIT
// The targets the library has kernels for, and what the choice among kernels needs to know of them.
#ifndef WT_SRC_TARGET_H
#define WT_SRC_TARGET_H

#include <stdbool.h>

enum { WT_XCDS = 8 };  // dies with an L2 of their own, on both chips (AMD, CDNA 3 and CDNA 4 white papers)

typedef struct wt_target {
  const char *name;        // "gfx950"
  bool ocp;                // FP8 is OCP; else FNUZ
  double macs_16, macs_8;  // dense products per clock and CU, for 16-bit and for 8-bit inputs
  double memory_bytes;     // HBM bytes per clock of the whole device
  int step_bytes;  // bytes of K that the library's tiled kernels take at once (kernels/gemm/gemm_frame.h)
} wt_target;

// Returns the target of that name; NULL when the library has no kernels for it.
const wt_target *wt_target_find(const char *name);

#endif
