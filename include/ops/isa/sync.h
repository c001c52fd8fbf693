// SPDX-License-Identifier: MIT
// Waiting: counters of one wave, and the barrier of a work-group.
#ifndef WT_OPS_ISA_SYNC_H
#define WT_OPS_ISA_SYNC_H

#include "../../tiles/target.h"

namespace wt {

// The immediate of s_waitcnt: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8 (CDNA4 ISA,
// S_WAITCNT). A field with all bits set waits for nothing.
constexpr int waitcnt_immediate(int vmcnt, int lgkmcnt) {
  constexpr int kExpcntAny = 7;
  return (vmcnt & 15) | kExpcntAny << 4 | lgkmcnt << 8 | (vmcnt >> 4) << 14;
}

// Until at most Outstanding of this wave's memory operations (also copies to LDS) are in flight.
template <int Outstanding>
WT_DEVICE void wait_vmem() {
  static_assert(Outstanding >= 0 && Outstanding < 63, "vmcnt counts to 63: wait for fewer");
  __builtin_amdgcn_s_waitcnt(waitcnt_immediate(Outstanding, 15));
}

// All waves of the work-group meet; LDS written before by any of them can be read after by all. s_barrier
// itself orders nothing (CDNA4 ISA, S_BARRIER): the release fence makes this wave wait for its own LDS
// operations first, and both fences keep the compiler from moving accesses across. Copies to LDS need
// wait_vmem as well.
WT_DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

}  // namespace wt

#endif
