// SPDX-License-Identifier: MIT
// st is a tile in LDS, row-major without padding, whose bytes a swizzle permutes.
#ifndef WT_TILES_ST_H
#define WT_TILES_ST_H

#include "swizzle.h"
#include "types.h"

namespace wt {

// This is a tile of Rows x Columns elements of T in LDS. A kernel declares it with WT_SHARED.
//
// Elements of 6 bits lie in units of 16, each of which fills the first 12 of 16 bytes. ds_read_b96 then reads
// an aligned unit, and buffer_load_dwordx3 to LDS writes one per lane (CDNA4 ISA ch. 9).
template <class T, int Rows, int Columns, swizzle Swizzle = no_swizzle>
struct st {
  using element = T;
  static constexpr int kRows = Rows, kColumns = Columns;
  static constexpr swizzle kSwizzle = Swizzle;
  static constexpr int kBitsEach = is_fp6<T> ? 8 : kBits<T>;  // in LDS
  static constexpr int kRowBytes = Columns * kBitsEach / 8;
  static constexpr int kMemoryRowBytes = Columns * kBits<T> / 8;  // the same elements packed, as in memory
  static constexpr int kBytes = Rows * kRowBytes;
  static_assert(kRowBytes % 16 == 0 || __is_same(T, e8m0),
                "an LDS tile's row must be a multiple of 16 bytes: choose another column count");
  static_assert(
      Swizzle == no_swizzle || ((kRowBytes & (kRowBytes - 1)) == 0 && kBytes % Swizzle.period() == 0),
      "a swizzled tile needs rows of a power of two bytes, and as many as the swizzle permutes together");
  alignas(16) unsigned char bytes[kBytes];

  // Return the byte offset of an element before the swizzle, and after it.
  static constexpr int linear(int row, int column) {
    const int unit = is_fp6<T> ? 16 : 1;
    return row * kRowBytes + column / unit * unit * kBitsEach / 8 + column % unit * kBits<T> / 8;
  }
  static constexpr int offset(int row, int column) { return Swizzle(linear(row, column)); }

  // Returns where the 16 bytes of a row from byte `byte` on begin in the packed row.
  static constexpr int packed(int byte) { return is_fp6<T> ? byte / 16 * 12 : byte; }

  // Returns the vector of type V at a byte offset after the swizzle, which must be a multiple of its size.
  //
  // scope: lane; operands: byte offset of the lane; leaves: lgkmcnt; waits: compiler; LDS: the tile;
  // registers: none; chips: both
  template <class V>
  WT_DEVICE V &at(int byte_offset) {
    return *reinterpret_cast<V *>(bytes + byte_offset);
  }
};

}  // namespace wt

#endif
