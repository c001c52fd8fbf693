// SPDX-License-Identifier: MIT
// Says what the waves of one compute unit did when, as slices that do not overlap on their lane.
#ifndef WT_TOOLS_PROF_TIMELINE_H
#define WT_TOOLS_PROF_TIMELINE_H

#include "prof.h"

typedef enum prof_slice_kind {
  PROF_SLICE_ISSUE,  // an instruction, on the lane of its wave
  PROF_SLICE_STALL,  // until the wave's next instruction; `cause` says why
  PROF_SLICE_PIPE    // an MFMA in the matrix pipe, on the lane of the SIMD's pipe
} prof_slice_kind;

typedef struct prof_slice {
  uint64_t begin, end;  // cycles
  uint32_t op, wave;
  uint16_t simd, place;  // place: of the compute unit's 32 that the wave has
  uint8_t kind, cause;   // cause: wt_sim_stall
} prof_slice;

enum { PROF_PLACES = 32, PROF_SIMDS = 4 };

// Returns the slices of what was issued in cycles [from, to), which the caller frees; NULL with *count 0 when
// there are none or host memory ran out.
prof_slice *prof_slices(const sim_profile_launch *launch, uint64_t from, uint64_t to, size_t *count);

#endif
