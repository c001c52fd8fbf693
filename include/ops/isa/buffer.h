// SPDX-License-Identifier: MIT
// This header has raw buffer access: descriptors with bounds, loads that read zero outside them, stores that
// are dropped outside them, atomic additions, and the copy from memory straight to LDS. Offsets are in bytes.
#ifndef WT_OPS_ISA_BUFFER_H
#define WT_OPS_ISA_BUFFER_H

#include "lds.h"

namespace wt {

// This is a buffer descriptor, in 4 scalar registers.
using buffer = __amdgpu_buffer_rsrc_t;

// This is word 3 of a raw descriptor: data_format is 32 in bits 17:15, and all other bits are zero. Format 0
// would make the descriptor invalid (CDNA4 ISA ch. 9, buffer resource descriptor).
constexpr int kRawBufferWord3 = 0x00020000;

// This byte offset is outside every descriptor of up to 2 GB.
constexpr int kOutOfRange = static_cast<int>(0x80000000u);

// Returns a descriptor of the `bytes` bytes from `base` on, which must be uniform in the wave. An access goes
// to the sum of three byte offsets: voffset of the lane, soffset of the wave and the instruction's own.
//
// The hardware checks the range of voffset + instruction offset (CDNA4 ISA ch. 9, range checking); other
// readings count soffset too. A program is right under both if soffset is within the buffer, and each lane
// either stays within the buffer with all three, or is sent outside by voffset alone (kOutOfRange).
//
// scope: wave; operands: address and size, uniform; leaves: none; waits: nobody; LDS: none; registers: 4
// scalar; chips: both
WT_DEVICE buffer make_buffer(const void *base, int bytes) {
  return __builtin_amdgcn_make_buffer_rsrc(const_cast<void *>(base), 0, bytes, kRawBufferWord3);
}

// These are cache policies, whose sum is an instruction's Policy: bits of the instruction as LLVM's CPol
// names them for gfx940 and later. SC1 SC0 give the scope: 0 is the wave, kScopeWorkgroup the work-group,
// kScopeAgent the device, both bits the system (AMDGPUUsage, memory model gfx942).
constexpr int kScopeWorkgroup = 1, kNonTemporal = 2, kScopeAgent = 16;

namespace detail {
template <int N>
using dwords = unsigned int __attribute__((ext_vector_type(N)));

// Clang has no builtin for this intrinsic; the name reaches it all the same.
__attribute__((device)) bf16x2
raw_buffer_atomic_fadd_v2bf16(bf16x2, buffer, int voffset, int soffset,
                              int policy) __asm("llvm.amdgcn.raw.ptr.buffer.atomic.fadd.v2bf16");

template <int Bytes, int InstructionOffset, int Policy>
WT_DEVICE void copy_to_lds(buffer from, __attribute__((address_space(3))) void *lds, int voffset,
                           int soffset) {
  static_assert(Bytes == 4 || ((Bytes == 12 || Bytes == 16) && target::kGfx950),
                "direct-to-LDS copies 4 bytes per lane on gfx942, 4, 12 or 16 on gfx950: use "
                "target::kDirectToLdsBytes");
  if constexpr (Bytes == 4) {
    __builtin_amdgcn_raw_ptr_buffer_load_lds(from, lds, 4, voffset, soffset, InstructionOffset, Policy);
#if defined(__gfx950__)  // the builtin takes literals only, and these only where they exist
  } else if constexpr (Bytes == 12) {
    __builtin_amdgcn_raw_ptr_buffer_load_lds(from, lds, 12, voffset, soffset, InstructionOffset, Policy);
  } else {
    __builtin_amdgcn_raw_ptr_buffer_load_lds(from, lds, 16, voffset, soffset, InstructionOffset, Policy);
#endif
  }
}
}  // namespace detail

// Returns what the lane reads at its offset, zero outside the buffer:
// buffer_load_{ubyte,ushort,dword,dwordx2,dwordx3,dwordx4}. The hardware ignores the two low address bits of
// dword and wider loads.
//
// scope: lane; operands: value of 1 to 16 bytes, byte offsets of lane and wave; leaves: vmcnt; waits:
// compiler; LDS: none; registers: none; chips: both
template <class V, int Policy = 0>
WT_DEVICE V buffer_load(buffer from, int voffset, int soffset = 0) {
  static constexpr int kBytes = kValueBytes<V>;
  static_assert(kBytes == 1 || kBytes == 2 || kBytes == 4 || kBytes == 8 || kBytes == 12 || kBytes == 16,
                "buffer_load moves 1, 2, 4, 8, 12 or 16 bytes per lane: use a bf16, a float or a u32x4");
  if constexpr (kBytes == 1) {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b8(from, voffset, soffset, Policy));
  } else if constexpr (kBytes == 2) {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b16(from, voffset, soffset, Policy));
  } else if constexpr (kBytes == 4) {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b32(from, voffset, soffset, Policy));
  } else if constexpr (kBytes == 8) {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b64(from, voffset, soffset, Policy));
  } else if constexpr (kBytes == 12) {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b96(from, voffset, soffset, Policy));
  } else {
    return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b128(from, voffset, soffset, Policy));
  }
}

// Writes the lane's value at its offset, and nothing outside the buffer:
// buffer_store_{byte,short,dword,dwordx2,dwordx3,dwordx4}.
//
// scope: lane; operands: value of 1 to 16 bytes, byte offsets of lane and wave; leaves: vmcnt; waits: nobody;
// LDS: none; registers: none; chips: both
template <int Policy = 0, class V>
WT_DEVICE void buffer_store(buffer to, int voffset, V value, int soffset = 0) {
  static constexpr int kBytes = kValueBytes<V>;
  static_assert(kBytes == 1 || kBytes == 2 || kBytes == 4 || kBytes == 8 || kBytes == 12 || kBytes == 16,
                "buffer_store moves 1, 2, 4, 8, 12 or 16 bytes per lane: use a bf16, a float or a u32x4");
  if constexpr (kBytes == 1) {
    const auto bits = __builtin_bit_cast(unsigned char, value);
    __builtin_amdgcn_raw_buffer_store_b8(bits, to, voffset, soffset, Policy);
  } else if constexpr (kBytes == 2) {
    const auto bits = __builtin_bit_cast(unsigned short, value);
    __builtin_amdgcn_raw_buffer_store_b16(bits, to, voffset, soffset, Policy);
  } else if constexpr (kBytes == 4) {
    const auto bits = __builtin_bit_cast(unsigned int, value);
    __builtin_amdgcn_raw_buffer_store_b32(bits, to, voffset, soffset, Policy);
  } else if constexpr (kBytes == 8) {
    const auto bits = __builtin_bit_cast(detail::dwords<2>, value);
    __builtin_amdgcn_raw_buffer_store_b64(bits, to, voffset, soffset, Policy);
  } else if constexpr (kBytes == 12) {
    const auto bits = __builtin_bit_cast(detail::dwords<3>, value);
    __builtin_amdgcn_raw_buffer_store_b96(bits, to, voffset, soffset, Policy);
  } else {
    const auto bits = __builtin_bit_cast(detail::dwords<4>, value);
    __builtin_amdgcn_raw_buffer_store_b128(bits, to, voffset, soffset, Policy);
  }
}

// Copies from a buffer to LDS: buffer_load_dword{,x3,x4} ... lds. Lane l copies Bytes bytes from its own
// offset in the buffer to LDS address lds + InstructionOffset + l * Bytes (12 bytes lie 16 apart);
// InstructionOffset counts in the buffer as well. `lds` is a byte address that must be uniform in the wave.
// The copy is counted by vmcnt and by nothing else: call wait_vmem before the barrier after which other waves
// read (see lds.h).
//
// scope: wave; operands: 4 bytes per lane, 12 or 16 also on gfx950, uniform LDS address; leaves: vmcnt;
// waits: caller; LDS: 64 * Bytes; registers: none; chips: both
template <int Bytes, int InstructionOffset = 0, int Policy = 0>
WT_DEVICE void buffer_load_to_lds(buffer from, int voffset, int soffset, u32 lds) {
  static_assert(InstructionOffset >= 0 && InstructionOffset < 4096,
                "a buffer instruction's offset is 0 to 4095: put the rest into soffset and the LDS address");
  detail::copy_to_lds<Bytes, InstructionOffset, Policy>(from, detail::lds_pointer<u32>(lds, 0), voffset,
                                                        soffset);
}

// Copies the same to an object in LDS, which is given by a pointer.
//
// scope: wave; operands: 4 bytes per lane, 12 or 16 also on gfx950, uniform LDS pointer; leaves: vmcnt;
// waits: caller; LDS: 64 * Bytes; registers: none; chips: both
template <int Bytes>
WT_DEVICE void buffer_load_to_lds(buffer from, int voffset, void *lds) {
  detail::copy_to_lds<Bytes, 0, 0>(from, (__attribute__((address_space(3))) void *)lds, voffset, 0);
}

// Adds the lane's value to the one at its offset in the buffer, and to nothing outside the buffer, without a
// result. f32 and f16x2 are added on both chips, bf16x2 on gfx950.
//
// scope: lane; operands: f32, f16x2 or bf16x2, byte offsets of lane and wave; leaves: vmcnt; waits: nobody;
// LDS: none; registers: none; chips: both
template <class V>
WT_DEVICE void buffer_atomic_add(buffer to, int voffset, V value, int soffset = 0) {
  static_assert(is_one_of<V, f32, f16x2, bf16x2>,
                "buffer_atomic_add adds f32, f16x2 or bf16x2: convert the value");
  static_assert(!__is_same(V, bf16x2) || target::kGfx950,
                "gfx942 adds no bf16x2 in a buffer: use global_atomic_add, with the bounds checked before");
  if constexpr (__is_same(V, f32)) {
    __builtin_amdgcn_raw_ptr_buffer_atomic_fadd_f32(value, to, voffset, soffset, 0);
  } else if constexpr (__is_same(V, f16x2)) {
    __builtin_amdgcn_raw_ptr_buffer_atomic_fadd_v2f16(value, to, voffset, soffset, 0);
  } else if constexpr (target::kGfx950) {
    detail::raw_buffer_atomic_fadd_v2bf16(value, to, voffset, soffset, 0);
  }
}

// Adds the lane's value to the one in global memory, without a result, for f32, f16x2 and bf16x2.
//
// scope: lane; operands: f32, f16x2 or bf16x2, pointer to global memory; leaves: vmcnt; waits: nobody; LDS:
// none; registers: none; chips: both
template <class V>
WT_DEVICE void global_atomic_add(V *to, V value) {
  static_assert(is_one_of<V, f32, f16x2, bf16x2>,
                "global_atomic_add adds f32, f16x2 or bf16x2: convert the value");
  using i16x2 = short __attribute__((ext_vector_type(2)));
  if constexpr (__is_same(V, f32)) {
    __builtin_amdgcn_global_atomic_fadd_f32((__attribute__((address_space(1))) f32 *)to, value);
  } else if constexpr (__is_same(V, f16x2)) {
    __builtin_amdgcn_global_atomic_fadd_v2f16((__attribute__((address_space(1))) f16x2 *)to, value);
  } else {
    __builtin_amdgcn_global_atomic_fadd_v2bf16((__attribute__((address_space(1))) i16x2 *)to,
                                               __builtin_bit_cast(i16x2, value));
  }
}

}  // namespace wt

#endif
