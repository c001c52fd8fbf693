// SPDX-License-Identifier: MIT
// Who am I: lane, wave, thread and work-group.
#ifndef WT_OPS_ISA_IDS_H
#define WT_OPS_ISA_IDS_H

#include "../../tiles/target.h"

namespace wt {

WT_DEVICE int thread_id() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()); }
WT_DEVICE int lane_id() { return thread_id() & (target::kWaveLanes - 1); }
// readfirstlane tells the compiler that the wave number is uniform: it and all that follows from it stay in
// SGPRs. The compiler does not move it out of loops: take it once, before them.
WT_DEVICE int wave_id() {
  return __builtin_amdgcn_readfirstlane(
      static_cast<int>(__builtin_amdgcn_workitem_id_x() / target::kWaveLanes));
}
WT_DEVICE int workgroup_x() { return static_cast<int>(__builtin_amdgcn_workgroup_id_x()); }
WT_DEVICE int workgroup_y() { return static_cast<int>(__builtin_amdgcn_workgroup_id_y()); }
WT_DEVICE int workgroup_z() { return static_cast<int>(__builtin_amdgcn_workgroup_id_z()); }

}  // namespace wt

#endif
