// SPDX-License-Identifier: MIT
// This header accesses LDS by address: it has reads, writes and transposed reads, which take a byte address
// in the work-group's LDS and a byte offset. The offset becomes part of the instruction if it is constant and
// below 64 KB.
//
// The compiler puts no wait between the copies that fill LDS (buffer.h) and these reads: the schedule must
// (sync.h). It does wait for the data of a read before their use. It may join two reads of up to 8 bytes into
// one instruction, so do not count on an lgkmcnt of more than 0 with these.
#ifndef WT_OPS_ISA_LDS_H
#define WT_OPS_ISA_LDS_H

#include "../../tiles/types.h"

namespace wt {

// Returns the byte address of an object in LDS.
//
// scope: lane; operands: pointer to LDS; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <class T>
WT_DEVICE u32 lds_address(T *object) {
  return static_cast<u32>(reinterpret_cast<__SIZE_TYPE__>((__attribute__((address_space(3))) T *)object));
}

// These are the bytes that a value fills in registers: three dwords fill 12 bytes, though sizeof says 16.
template <class V>
constexpr int kValueBytes = sizeof(V);
template <class T, int N>
constexpr int kValueBytes<T __attribute__((ext_vector_type(N)))> = N * static_cast<int>(sizeof(T));

namespace detail {

template <class V>
using in_lds = __attribute__((address_space(3))) V;

template <class V>
WT_DEVICE auto lds_pointer(u32 address, int offset) {
  using bytes = in_lds<char> *;
  return reinterpret_cast<in_lds<V> *>(reinterpret_cast<bytes>(static_cast<__SIZE_TYPE__>(address)) + offset);
}

template <class V>
constexpr bool is_lds_value = kValueBytes<V> == 1 || kValueBytes<V> == 2 || kValueBytes<V> == 4 ||
                              kValueBytes<V> == 8 || kValueBytes<V> == 12 || kValueBytes<V> == 16;

// Clang makes an access to LDS wait for all copies to LDS in flight, unless it carries alias information.
// __restrict attaches some, here and in ds_read_tr. It claims nothing that could be wrong: a function of one
// access has no other for it to alias.
template <class V>
WT_DEVICE V read_lds(in_lds<V> *__restrict from) {
  typedef V value __attribute__((may_alias));  // any type reads what any other wrote
  return *reinterpret_cast<in_lds<value> *>(from);
}
template <class V>
WT_DEVICE void write_lds(in_lds<V> *__restrict to, V from) {
  typedef V value __attribute__((may_alias));
  *reinterpret_cast<in_lds<value> *>(to) = from;
}

}  // namespace detail

// Returns the value at address + offset, which must be a multiple of its size (of 4 for 12 bytes):
// ds_read_{u8,u16,b32,b64,b96,b128}.
//
// scope: lane; operands: value of 1 to 16 bytes, byte address; leaves: lgkmcnt; waits: compiler; LDS: reads
// it; registers: none; chips: both
template <class V>
WT_DEVICE V ds_read(u32 address, int offset = 0) {
  static_assert(detail::is_lds_value<V>,
                "ds_read moves 1, 2, 4, 8, 12 or 16 bytes per lane: use a vector of one of these sizes");
  return detail::read_lds(detail::lds_pointer<V>(address, offset));
}

// Writes the value to address + offset, which must be a multiple of its size (of 4 for 12 bytes):
// ds_write_{b8,b16,b32,b64,b96,b128}. Before other waves read it, barrier() must follow, or wait_lds and
// raw_barrier.
//
// scope: lane; operands: value of 1 to 16 bytes, byte address; leaves: lgkmcnt; waits: caller; LDS: writes
// it; registers: none; chips: both
template <class V>
WT_DEVICE void ds_write(u32 address, V value, int offset = 0) {
  static_assert(detail::is_lds_value<V>,
                "ds_write moves 1, 2, 4, 8, 12 or 16 bytes per lane: use a vector of one of these sizes");
  detail::write_lds(detail::lds_pointer<V>(address, offset), value);
}

namespace detail {

using i16x4 = short __attribute__((ext_vector_type(4)));
using i32x2 = int __attribute__((ext_vector_type(2)));
using i32x3 = int __attribute__((ext_vector_type(3)));
WT_DEVICE i16x4 read_tr_b16(in_lds<i16x4> *__restrict p) {
  return __builtin_amdgcn_ds_read_tr16_b64_v4i16(p);
}
WT_DEVICE i32x2 read_tr_b8(in_lds<i32x2> *__restrict p) { return __builtin_amdgcn_ds_read_tr8_b64_v2i32(p); }
WT_DEVICE i32x3 read_tr_b6(in_lds<i32x3> *__restrict p) { return __builtin_amdgcn_ds_read_tr6_b96_v3i32(p); }
WT_DEVICE i32x2 read_tr_b4(in_lds<i32x2> *__restrict p) { return __builtin_amdgcn_ds_read_tr4_b64_v2i32(p); }

}  // namespace detail

// This is what a lane receives from one transposed read of elements of T: 4, 8, 16 or 16 elements of 16, 8, 6
// or 4 bits.
template <class T>
constexpr int kTransposedElements = kBits<T> == 16  ? 4
                                    : kBits<T> == 8 ? 8
                                                    : 16;
template <class T>
using transposed_read = registers<T, kTransposedElements<T>>;
// Reads a matrix that lies k by k and returns operands that run along k: ds_read_b64_tr_{b16,b8,b4},
// ds_read_b96_tr_b6. In each group of 16 lanes, the lanes' 8 (or 12) bytes are, lane after lane, the rows k
// of a tile of 16 columns; lane j receives column j. A row takes 4, 2, 1 or 1 lanes for 16-, 8-, 6- or 4-bit
// elements. All lanes must be active, and addresses are multiples of 8, of 6-bit elements of 16 (CDNA4 ISA
// 11.4).
//
// scope: wave; operands: 8 or 12 bytes per lane, byte address of the lane; leaves: lgkmcnt; waits: compiler;
// LDS: reads it; registers: none; chips: gfx950
template <class T>
WT_DEVICE transposed_read<T> ds_read_tr(u32 address, int offset = 0) {
  static_assert(
      target::kGfx950,
      "gfx942 has no transposed LDS reads: store the tile transposed, or read it element by element");
  static_assert(
      kBits<T> <= 16,
      "ds_read_tr transposes elements of 16, 8, 6 or 4 bits: read f32 with ds_read, one row per read");
  using result = transposed_read<T>;
  using detail::lds_pointer;
  if constexpr (!target::kGfx950) {
    return result{};
  } else if constexpr (kBits<T> == 16) {
    return __builtin_bit_cast(result, detail::read_tr_b16(lds_pointer<detail::i16x4>(address, offset)));
  } else if constexpr (kBits<T> == 8) {
    return __builtin_bit_cast(result, detail::read_tr_b8(lds_pointer<detail::i32x2>(address, offset)));
  } else if constexpr (kBits<T> == 6) {
    return __builtin_bit_cast(result, detail::read_tr_b6(lds_pointer<detail::i32x3>(address, offset)));
  } else {
    return __builtin_bit_cast(result, detail::read_tr_b4(lds_pointer<detail::i32x2>(address, offset)));
  }
}

}  // namespace wt

#endif
