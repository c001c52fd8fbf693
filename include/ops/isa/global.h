// SPDX-License-Identifier: MIT
// Global memory by 64-bit addresses, at any alignment.
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

// A pointer that the compiler knows to be one to global memory: of others, as where memory and constants may
// be meant, it makes flat accesses, which also wait for LDS.
template <class T>
WT_DEVICE T *as_global(__UINTPTR_TYPE__ address) {
  return (T *)(__attribute__((address_space(1))) T *)address;
}

// global_load_{ubyte,ushort,dword,dwordx2,dwordx3,dwordx4}, one instruction whatever the address: amdhsa runs
// the chip in unaligned access mode (LLVM, AMDGPUUsage, target feature unaligned-access-mode), where buffer
// loads would drop the two low bits (CDNA4 ISA ch. 9). What an unaligned access costs is not known to us; one
// that crosses a 128-byte line touches two.
template <class V>
WT_DEVICE V global_load(const void *address) {
  return static_cast<const detail::unaligned<V> *>(address)->value;
}

// global_store_{byte,short,dword,dwordx2,dwordx3,dwordx4}, likewise.
template <class V>
WT_DEVICE void global_store(void *address, V value) {
  static_cast<detail::unaligned<V> *>(address)->value = value;
}

}  // namespace wt

#endif
