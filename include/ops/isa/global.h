// SPDX-License-Identifier: MIT
// This header accesses global memory by 64-bit addresses, at any alignment.
#ifndef WT_OPS_ISA_GLOBAL_H
#define WT_OPS_ISA_GLOBAL_H

#include "../../tiles/types.h"

namespace wt {

namespace detail {
template <class V>
struct __attribute__((packed, may_alias)) unaligned {
  V value;
};
}  // namespace detail

// Returns a pointer that the compiler knows to point to global memory. For other pointers, which may point to
// memory or to constants, it makes flat accesses, which also wait for LDS.
//
// scope: lane; operands: address; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <class T>
WT_DEVICE T *as_global(__UINTPTR_TYPE__ address) {
  return (T *)(__attribute__((address_space(1))) T *)address;
}

// Returns the value at an address: global_load_{ubyte,ushort,dword,dwordx2,dwordx3,dwordx4}, one instruction
// whatever the address. amdhsa runs the chip in unaligned access mode (LLVM, AMDGPUUsage, target feature
// unaligned-access-mode), where buffer loads would drop the two low bits (CDNA4 ISA ch. 9). We do not know
// what an unaligned access costs; one that crosses a 128-byte line touches two lines.
//
// scope: lane; operands: value of 1 to 16 bytes, address at any alignment; leaves: vmcnt; waits: compiler;
// LDS: none; registers: none; chips: both
template <class V>
WT_DEVICE V global_load(const void *address) {
  return static_cast<const detail::unaligned<V> *>(address)->value;
}

// Writes the value to an address: global_store_{byte,short,dword,dwordx2,dwordx3,dwordx4}, likewise at any
// alignment.
//
// scope: lane; operands: value of 1 to 16 bytes, address at any alignment; leaves: vmcnt; waits: nobody; LDS:
// none; registers: none; chips: both
template <class V>
WT_DEVICE void global_store(void *address, V value) {
  static_cast<detail::unaligned<V> *>(address)->value = value;
}

}  // namespace wt

#endif
