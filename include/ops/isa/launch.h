// SPDX-License-Identifier: MIT
// A kernel can read some facts of its launch, and end it early.
//
// scope: wave; operands: none; leaves: none; waits: compiler; LDS: none; registers: none; chips: both
#ifndef WT_OPS_ISA_LAUNCH_H
#define WT_OPS_ISA_LAUNCH_H

#include "../../tiles/types.h"
#include "forget.h"

namespace wt {

// The arguments that the runtime adds behind a kernel's own, by their offset in bytes (LLVM, AMDGPUUsage,
// code object V5 metadata). The compiler sees which ones a kernel reads and asks the runtime for these.
enum class implicit_argument { hostcall_buffer = 80, dynamic_lds_bytes = 120 };
template <class T>
WT_DEVICE T read_implicit(implicit_argument which) {
  using bytes = const __attribute__((address_space(4))) unsigned char;
  using value = const __attribute__((address_space(4))) T;
  return *(value *)((bytes *)__builtin_amdgcn_implicitarg_ptr() + static_cast<int>(which));
}

// Returns the kernel's arguments, of which the first is a T, or the T that lies `offset` bytes further on.
// They are read anew: what a loop reads again needs no scalar registers meanwhile.
//
// leaves: lgkmcnt
template <class T>
WT_DEVICE T read_arguments(int offset = 0) {
  using bytes = const __attribute__((address_space(4))) unsigned char;
  using value = const __attribute__((address_space(4))) T;
  auto from = (value *)((bytes *)__builtin_amdgcn_kernarg_segment_ptr() + offset);
  forget_uniform(from);
  return *from;
}

// Returns the place as one of memory that nobody writes while the kernel runs. What is the same for all lanes
// is then read by scalar loads.
template <class T>
WT_DEVICE auto unchanged(const T *from) {
  using value = const __attribute__((address_space(4))) T;
  return (value *)from;
}

// Has these values in scalar registers at this point. It makes the compiler load arguments early, all with
// one wait: the first load of a launch misses all caches, and so does another one after it.
template <class... Values>
WT_DEVICE void have_uniform(Values... values) {
  (([](auto value) WT_INLINE { asm volatile("" ::"s"(value)); })(values), ...);
}

// Ends the launch by s_trap 2: it ends with an error (hipErrorLaunchFailure), which the next call that waits
// for it returns.
[[noreturn]] WT_DEVICE void stop_kernel() { __builtin_trap(); }

}  // namespace wt

#endif
