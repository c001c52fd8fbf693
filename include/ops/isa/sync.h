// SPDX-License-Identifier: MIT
// This header says when waves go on, and in which order: it has waits for the counters of one wave, the
// barriers of a work-group, priorities, and what the compiler's scheduler may move.
//
// scope: wave; operands: none; leaves: what was outstanding of vmcnt and lgkmcnt; waits: nobody; LDS: none;
// registers: none; chips: both
#ifndef WT_OPS_ISA_SYNC_H
#define WT_OPS_ISA_SYNC_H

#include "../../tiles/target.h"

namespace wt {

// These counts wait for nothing: they are fields of s_waitcnt with all bits set. vmcnt has 6 bits, lgkmcnt 4
// (CDNA4 ISA, S_WAITCNT).
constexpr int kAnyVmem = 63, kAnyLds = 15;

// Returns the immediate of s_waitcnt: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8 (CDNA4 ISA,
// S_WAITCNT).
constexpr int waitcnt_immediate(int vmcnt, int lgkmcnt) {
  constexpr int kExpcntAny = 7;
  return (vmcnt & 15) | kExpcntAny << 4 | lgkmcnt << 8 | (vmcnt >> 4) << 14;
}

// Keeps the compiler from moving memory accesses across this point. It emits no instruction.
WT_DEVICE void compiler_fence() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// Waits until at most Vmem of this wave's memory operations (also copies to LDS) and at most Lds of its LDS
// and scalar memory operations are in flight. Scalar loads return in any order, so with one in flight only 0
// is safe. The compiler counts these waits as its own: it adds others only for data that they leave in
// flight.
//
// leaves: Vmem of vmcnt, Lds of lgkmcnt
template <int Vmem, int Lds>
WT_DEVICE void wait_counts() {
  static_assert(Vmem >= 0 && Vmem <= kAnyVmem, "vmcnt counts to 63: wait for 0 to 62, or kAnyVmem for none");
  static_assert(Lds >= 0 && Lds <= kAnyLds, "lgkmcnt counts to 15: wait for 0 to 14, or kAnyLds for none");
  compiler_fence();
  __builtin_amdgcn_s_waitcnt(waitcnt_immediate(Vmem, Lds));
  compiler_fence();
}
// Waits until at most Outstanding of this wave's memory operations are in flight.
//
// leaves: Outstanding of vmcnt, lgkmcnt as it was
template <int Outstanding>
WT_DEVICE void wait_vmem() {
  static_assert(Outstanding >= 0 && Outstanding < kAnyVmem, "vmcnt counts to 63: wait for fewer");
  wait_counts<Outstanding, kAnyLds>();
}
// Waits until at most Outstanding of this wave's LDS and scalar memory operations are in flight.
//
// leaves: Outstanding of lgkmcnt, vmcnt as it was
template <int Outstanding>
WT_DEVICE void wait_lds() {
  static_assert(Outstanding >= 0 && Outstanding < kAnyLds, "lgkmcnt counts to 15: wait for fewer");
  wait_counts<kAnyVmem, Outstanding>();
}

// Waits until all waves of the work-group are here, and for nothing else: s_barrier waits for no memory
// operation (CDNA4 ISA, S_BARRIER). It is for schedules that place their own waits.
//
// scope: work-group
WT_DEVICE void raw_barrier() {
  compiler_fence();
  __builtin_amdgcn_s_barrier();
  compiler_fence();
}

// Takes a raw_barrier in the waves in which `condition` holds; it must be the same in all lanes. The other
// waves must take one of their own elsewhere, so that half of a work-group gets a phase ahead.
//
// scope: work-group
WT_DEVICE void barrier_if(bool condition) {
  // The ballot makes it one branch of the wave. A branch by lanes may run its body with no lane active.
  if (__builtin_amdgcn_ballot_w64(condition) != 0) raw_barrier();
}

// Waits until all waves of the work-group are here; LDS that any of them wrote before can then be read by
// all. The release fence makes this wave wait for its own LDS operations first, and both fences keep the
// compiler from moving accesses across. Copies to LDS need wait_vmem before it as well.
//
// scope: work-group; leaves: none of lgkmcnt, vmcnt as it was
WT_DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Sets this wave's priority, 0 to 3: waves of a higher priority issue first on their SIMD. A wave starts with
// 0.
template <int Priority>
WT_DEVICE void s_setprio() {
  static_assert(Priority >= 0 && Priority <= 3, "a wave's priority is 0 to 3");
  __builtin_amdgcn_s_setprio(Priority);
}

// Waits for Count + 1 wait states: s_nop.
template <int Count>
WT_DEVICE void s_nop() {
  static_assert(Count >= 0 && Count <= 15, "s_nop takes 0 to 15: use several for more wait states");
  asm volatile("s_nop %0" ::"n"(Count));
}

// Waits for about 64 * Count cycles: s_sleep.
template <int Count>
WT_DEVICE void s_sleep() {
  static_assert(Count >= 0 && Count <= 127, "s_sleep takes 0 to 127: use several to sleep longer");
  __builtin_amdgcn_s_sleep(Count);
}

// These are kinds of instructions, as sched_barrier and sched_group_barrier name them (LLVM, AMDGPUUsage,
// their table of masks). Their sum stands for several kinds.
namespace kind {
constexpr int kNone = 0, kAlu = 0x1, kValu = 0x2, kSalu = 0x4, kMfma = 0x8;
constexpr int kVmem = 0x10, kVmemRead = 0x20, kVmemWrite = 0x40;
constexpr int kLds = 0x80, kLdsRead = 0x100, kLdsWrite = 0x200;
constexpr int kTranscendental = 0x400;
}  // namespace kind

// Keeps the compiler's scheduler from moving instructions across, except those of the kinds MayCross.
template <int MayCross = kind::kNone>
WT_DEVICE void sched_barrier() {
  __builtin_amdgcn_sched_barrier(MayCross);
}

// Makes a group of the next Count instructions of these kinds, among the instructions since the last
// sched_barrier. Groups of one Pipeline are scheduled in the order in which they are named.
template <int Kinds, int Count, int Pipeline = 0>
WT_DEVICE void sched_group_barrier() {
  static_assert(Kinds != kind::kNone && Count > 0,
                "a group holds one instruction or more of a kind: name a kind and a count");
  __builtin_amdgcn_sched_group_barrier(Kinds, Count, Pipeline);
}

// These are the recipes of the compiler's scheduler for interleaving (LLVM, AMDGPUUsage,
// llvm.amdgcn.iglp.opt).
enum class interleave_recipe { small_gemm = 0, single_wave_gemm = 1, attention = 2, attention_simple = 3 };
// Asks the compiler's scheduler to interleave this block by one of its own recipes.
template <interleave_recipe Recipe>
WT_DEVICE void iglp_opt() {
  __builtin_amdgcn_iglp_opt(static_cast<int>(Recipe));
}

}  // namespace wt

#endif
