// SPDX-License-Identifier: MIT
// The compiler forgets the history of values, so that it spends no registers on keeping what is quickly
// computed again.
//
// scope: lane; operands: any value of whole registers; leaves: none; waits: nobody; LDS: none; registers:
// none; chips: both
#ifndef WT_OPS_ISA_FORGET_H
#define WT_OPS_ISA_FORGET_H

#include "../../tiles/types.h"

namespace wt {

// Leaves `value` unchanged, in the registers of a lane, without an instruction. Afterwards the compiler knows
// nothing that it computed from the value before, so it neither keeps such results across this point nor
// moves them out of a loop.
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

// Does the same for an integer that all lanes share and that shall remain in scalar registers.
template <class V>
WT_DEVICE void forget_uniform(V &value) {
  asm volatile("" : "+s"(value));
}

// Returns the value of a register in another one, to which it is moved at this point of the program. Left to
// itself, the compiler may move a value that the next iteration of a loop needs at the end of this one, where
// it waits for what has been loaded since.
//
// registers: 1
template <class V>
WT_DEVICE V moved(V value) {
  static_assert(sizeof(V) == 4, "moved takes one register: move the parts of a larger value");
  V to;
  asm volatile("v_mov_b32 %0, %1" : "=v"(to) : "v"(value));
  return to;
}

}  // namespace wt

#endif
