// SPDX-License-Identifier: MIT
// st is a tile in LDS, row-major without padding, whose bytes a swizzle permutes.
#ifndef WT_TILES_ST_H
#define WT_TILES_ST_H

#include "swizzle.h"
#include "types.h"

namespace wt {

// Says how elements of 6 bits lie in LDS: packed, 32 of them in 24 bytes; or 16 in 12 bytes and 4 bytes
// unused, so that each 16 begin at a multiple of 16 bytes, where a transposed read wants them (CDNA4 ISA
// 11.4).
enum class spacing { packed, sixteens };

// This is a tile of Rows x Columns elements of T in LDS. A kernel declares it with WT_SHARED.
//
// A lane holds 32 elements of 6 bits for one MFMA, which are 24 bytes where they are packed. Swizzles permute
// powers of two, so for them such 24 bytes count as 32: a swizzle applies to `stretched` offsets, and moves
// whole 24 bytes or several of them.
template <class T, int Rows, int Columns, swizzle Swizzle = no_swizzle, spacing Spacing = spacing::packed>
struct st {
  using element = T;
  static constexpr int kRows = Rows, kColumns = Columns;
  static constexpr swizzle kSwizzle = Swizzle;
  static constexpr spacing kSpacing = Spacing;
  static constexpr bool kIsStretched = is_fp6<T> && Spacing == spacing::packed;
  static constexpr int kRowBytes = Columns * (Spacing == spacing::sixteens ? 8 : kBits<T>) / 8;
  static constexpr int kBytes = Rows * kRowBytes;

  // Return a byte offset as swizzles count it, and the offset that they count so.
  static constexpr int stretched(int byte) { return kIsStretched ? byte / 24 * 32 + byte % 24 : byte; }
  static constexpr int compressed(int byte) { return kIsStretched ? byte / 32 * 24 + byte % 32 : byte; }

  static_assert(is_fp6<T> || Spacing == spacing::packed,
                "elements of 6 bits alone are spaced, which leaves others unaligned: use spacing::packed");

  static_assert(kRowBytes % 16 == 0 || __is_same(T, e8m0),
                "an LDS tile's row must be a multiple of 16 bytes: choose another column count");
  static_assert(Swizzle == no_swizzle || ((stretched(kRowBytes) & (stretched(kRowBytes) - 1)) == 0 &&
                                          stretched(kBytes) % Swizzle.period() == 0),
                "a swizzled tile needs rows of a power of two bytes (24 of 6-bit elements count as 32), and "
                "as many as the swizzle permutes together");
  static_assert(!kIsStretched || Swizzle == no_swizzle || Swizzle.granule() >= 32,
                "a swizzle of 6-bit elements must keep 24 bytes together: use swizzle_for_layout");
  alignas(16) unsigned char bytes[kBytes];

  // Return the byte offset of an element before the swizzle, and after it.
  static constexpr int linear(int row, int column) {
    const int packed = Spacing == spacing::packed ? column : column % 16;
    return row * kRowBytes + column - packed + packed * kBits<T> / 8;
  }
  static constexpr int offset(int row, int column) { return place(linear(row, column)); }

  // Returns the byte offset after the swizzle of the byte at an offset before it.
  static constexpr int place(int byte) { return compressed(Swizzle(stretched(byte))); }

  // Return the same at run time, and the offset before the swizzle of the byte at an offset after it.
  WT_ANYWHERE static int place_of(int byte) { return compressed(swizzled<Swizzle>(stretched(byte))); }
  WT_ANYWHERE static int byte_at(int place) { return compressed(unswizzled<Swizzle>(stretched(place))); }

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
