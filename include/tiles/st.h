// SPDX-License-Identifier: MIT
// st: a tile in LDS, row-major without padding, its bytes permuted by a swizzle.
#ifndef WT_TILES_ST_H
#define WT_TILES_ST_H

#include "swizzle.h"
#include "types.h"

namespace wt {

template <class T, int Rows, int Columns, swizzle Swizzle = no_swizzle>
struct st {
  using element = T;
  static constexpr int kRows = Rows, kColumns = Columns;
  static constexpr swizzle kSwizzle = Swizzle;
  static constexpr int kRowBytes = Columns * kBits<T> / 8;
  static constexpr int kBytes = Rows * kRowBytes;
  static_assert(kRowBytes % 16 == 0,
                "an LDS tile's row must be a multiple of 16 bytes: choose another column count");
  static_assert(
      Swizzle == no_swizzle || ((kRowBytes & (kRowBytes - 1)) == 0 && kBytes % Swizzle.period() == 0),
      "a swizzled tile needs rows of a power of two bytes, and as many as the swizzle permutes together");
  alignas(16) unsigned char bytes[kBytes];

  // Byte offset of an element before the swizzle, and after it.
  static constexpr int linear(int row, int column) { return row * kRowBytes + column * kBits<T> / 8; }
  static constexpr int offset(int row, int column) { return Swizzle(linear(row, column)); }

  // The vector of type V at a byte offset, which must be a multiple of its size.
  template <class V>
  WT_DEVICE V &at(int byte_offset) {
    return *reinterpret_cast<V *>(bytes + byte_offset);
  }
};

}  // namespace wt

#endif
