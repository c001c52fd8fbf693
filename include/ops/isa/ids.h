// SPDX-License-Identifier: MIT
// This header has the numbers of this lane, wave, thread and work-group, each counted from 0.
//
// scope: lane; operands: none; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
#ifndef WT_OPS_ISA_IDS_H
#define WT_OPS_ISA_IDS_H

#include "forget.h"

namespace wt {

// Returns the thread in its work-group, and its lane in its wave.
//
// A kernel that computes one tile after the other defines WT_FORGET_THREADS before it includes this library:
// what follows from the thread is then computed anew for each tile. Elsewhere the compiler moves all of it
// out of the loop over tiles, to more registers than the tile leaves.
WT_DEVICE int thread_id() {
  int thread = static_cast<int>(__builtin_amdgcn_workitem_id_x());
#ifdef WT_FORGET_THREADS
  forget(thread);
#endif
  return thread;
}
WT_DEVICE int lane_id() { return thread_id() & (target::kWaveLanes - 1); }
// Return the thread along the other dimensions of a work-group; kernels of this library have one.
WT_DEVICE int thread_y() { return static_cast<int>(__builtin_amdgcn_workitem_id_y()); }
WT_DEVICE int thread_z() { return static_cast<int>(__builtin_amdgcn_workitem_id_z()); }
// Returns the wave in its work-group. readfirstlane tells the compiler that the number is uniform: it and all
// that follows from it lie in scalar registers. The compiler does not move it out of loops: take it once,
// before them.
//
// scope: wave; registers: 1 scalar
WT_DEVICE int wave_id() {
  return __builtin_amdgcn_readfirstlane(
      static_cast<int>(__builtin_amdgcn_workitem_id_x() / target::kWaveLanes));
}
// Return the work-group in the grid.
//
// scope: work-group; registers: 1 scalar
WT_DEVICE int workgroup_x() { return static_cast<int>(__builtin_amdgcn_workgroup_id_x()); }
WT_DEVICE int workgroup_y() { return static_cast<int>(__builtin_amdgcn_workgroup_id_y()); }
WT_DEVICE int workgroup_z() { return static_cast<int>(__builtin_amdgcn_workgroup_id_z()); }

}  // namespace wt

#endif
