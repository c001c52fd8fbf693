// SPDX-License-Identifier: MIT
// Raw buffer access: a descriptor with bounds, loads that read zero outside them, stores that are dropped
// outside them, and the copy from memory straight to LDS.
#ifndef WT_OPS_ISA_BUFFER_H
#define WT_OPS_ISA_BUFFER_H

#include "../../tiles/types.h"

namespace wt {

using buffer = __amdgpu_buffer_rsrc_t;

// Word 3 of a raw descriptor: data_format 32 in bits 17:15, all else zero. Format 0 would make the descriptor
// invalid (CDNA4 ISA ch. 9, buffer resource descriptor).
constexpr int kRawBufferWord3 = 0x00020000;

// An offset that is outside every descriptor of up to 2 GB.
constexpr int kOutOfRange = static_cast<int>(0x80000000u);

// Covers `bytes` from `base`, which must be uniform in the wave. Accesses go by byte offset; the range is
// checked on the sum of voffset and instruction offset (CDNA4 ISA ch. 9, range checking), so bounds must not
// rest on soffset, which stays 0 here.
WT_DEVICE buffer make_buffer(const void *base, int bytes) {
  return __builtin_amdgcn_make_buffer_rsrc(const_cast<void *>(base), 0, bytes, kRawBufferWord3);
}

// buffer_load_{ushort,dword,dwordx4}: the hardware ignores the two low address bits of dword and wider loads.
template <class V>
WT_DEVICE V buffer_load(buffer from, int offset) {
  static_assert(sizeof(V) == 2 || sizeof(V) == 4 || sizeof(V) == 16,
                "buffer_load moves 2, 4 or 16 bytes per lane: use a bf16, a float or a u32x4");
  if constexpr (sizeof(V) == 2) {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b16(from, offset, 0, 0));
  } else if constexpr (sizeof(V) == 4) {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b32(from, offset, 0, 0));
  } else {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b128(from, offset, 0, 0));
  }
}

template <class V>
WT_DEVICE void buffer_store(buffer to, int offset, V value) {
  static_assert(sizeof(V) == 2 || sizeof(V) == 4,
                "buffer_store moves 2 or 4 bytes per lane: use a bf16 or a float");
  if constexpr (sizeof(V) == 2) {
    __builtin_amdgcn_raw_buffer_store_b16(__builtin_bit_cast(unsigned short, value), to, offset, 0, 0);
  } else {
    __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(unsigned int, value), to, offset, 0, 0);
  }
}

// buffer_load_dword{,x4} ... lds: lane l copies Bytes from its own offset to lds + l * Bytes; `lds` must be
// uniform in the wave. Counted by vmcnt: wait_vmem before the barrier that lets other waves read.
template <int Bytes>
WT_DEVICE void buffer_load_to_lds(buffer from, int offset, void *lds) {
  static_assert(Bytes == 4 || (Bytes == 16 && target::kGfx950),
                "direct-to-LDS copies 4 bytes per lane on gfx942, 4 or 16 on gfx950: use "
                "target::kDirectToLdsBytes");
  using lds_pointer = __attribute__((address_space(3))) void *;
  if constexpr (Bytes == 4) {
    __builtin_amdgcn_raw_ptr_buffer_load_lds(from, (lds_pointer)lds, 4, offset, 0, 0, 0);
  } else {
#if defined(__gfx950__)  // the builtin takes literals only, and 16 only where it exists
    __builtin_amdgcn_raw_ptr_buffer_load_lds(from, (lds_pointer)lds, 16, offset, 0, 0, 0);
#endif
  }
}

}  // namespace wt

#endif
