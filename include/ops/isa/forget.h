// SPDX-License-Identifier: MIT
// Values of which the compiler forgets what they are: against registers spent on keeping what is quickly
// computed again.
#ifndef WT_OPS_ISA_FORGET_H
#define WT_OPS_ISA_FORGET_H

#include "../../tiles/types.h"

namespace wt {

// `value` unchanged, in the registers of a lane, and no instruction. But nothing that the compiler computed
// from it before is known to hold after, so that it is not kept across, nor moved out of a loop.
template <class V>
WT_DEVICE void forget(V &value) {
  static_assert(sizeof(V) % 4 == 0, "forget takes whole registers: values of a multiple of 4 bytes");
  if constexpr (sizeof(V) == 4) {
    u32 bits = __builtin_bit_cast(u32, value);
    asm volatile("" : "+v"(bits));
    value = __builtin_bit_cast(V, bits);
  } else {
    using registers = unsigned int __attribute__((ext_vector_type(sizeof(V) / 4)));
    registers bits = __builtin_bit_cast(registers, value);
    asm volatile("" : "+v"(bits));
    value = __builtin_bit_cast(V, bits);
  }
}

// The same for an integer that all lanes share and that shall stay in scalar registers.
template <class V>
WT_DEVICE void forget_uniform(V &value) {
  asm volatile("" : "+s"(value));
}

}  // namespace wt

#endif
