// SPDX-License-Identifier: MIT
// st: a tile in LDS, row-major without padding.
#ifndef WT_TILES_ST_H
#define WT_TILES_ST_H

#include "types.h"

namespace wt {

template <class T, int Rows, int Columns>
struct st {
  static constexpr int kRows = Rows, kColumns = Columns;
  static constexpr int kRowBytes = Columns * static_cast<int>(sizeof(T));
  static constexpr int kBytes = Rows * kRowBytes;
  static_assert(kRowBytes % 16 == 0,
                "an LDS tile's row must be a multiple of 16 bytes: choose another column count");
  alignas(16) unsigned char bytes[kBytes];

  // The vector of type V at a byte offset, which must be a multiple of its size.
  template <class V>
  WT_DEVICE V &at(int byte_offset) {
    return *reinterpret_cast<V *>(bytes + byte_offset);
  }
};

}  // namespace wt

#endif
