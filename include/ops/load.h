// SPDX-License-Identifier: MIT
// Moving tiles: global memory to LDS, and LDS to the registers of an MFMA operand.
#ifndef WT_OPS_LOAD_H
#define WT_OPS_LOAD_H

#include "../tiles/gl.h"
#include "../tiles/mfma_layout.h"
#include "../tiles/st.h"
#include "isa/buffer.h"
#include "isa/ids.h"

namespace wt {

// Fills an LDS tile from the leading part of `from`, one element per load, zeros outside: right for any
// stride, any alignment and any size, and slow. The work-group's Threads threads share the work; a barrier
// must follow.
template <int Threads, class T, int Rows, int Columns>
WT_DEVICE void load_elementwise(st<T, Rows, Columns> &to, const gl<const T> &from) {
  static_assert(sizeof(T) == 1, "load_elementwise packs four 8-bit elements into a dword");
  constexpr int kDwords = Rows * Columns / 4;
  static_assert(kDwords % Threads == 0,
                "the tile's dwords must divide evenly among the threads: use a larger tile or fewer threads");
#pragma unroll 1
  for (int i = 0; i < kDwords / Threads; ++i) {
    const int dword = i * Threads + thread_id();
    const int row = dword / (Columns / 4), column = dword % (Columns / 4) * 4;
    u32 packed = 0, inside = 0;
#pragma unroll
    for (int byte = 0; byte < 4; ++byte) {
      packed |= static_cast<u32>(from.load_clamped(row, column + byte).bits) << (8 * byte);
      inside |= from.contains(row, column + byte) ? 0xffu << (8 * byte) : 0;
    }
    // Masked together: a mask per byte would make the compiler branch around each load and wait for it alone.
    to.template at<u32>(dword * 4) = packed & inside;
  }
}

// The operand of one MFMA: its 16 rows from `row` on, its k from `k` on. The layout's runs of consecutive k
// are read whole: 8 bytes (ds_read_b64) for 16x16x32, two times 16 (ds_read_b128) for 16x16x128.
template <class Layout, class T, int Rows, int Columns>
WT_DEVICE auto load_operand(st<T, Rows, Columns> &from, int row, int k) {
  static_assert(sizeof(T) == 1, "load_operand reads 8-bit elements");
  const int lane = lane_id();
  const int start = (row + Layout::row(lane, 0)) * Columns + k;
  if constexpr (Layout::kElements == 8) {
    return from.template at<u32x2>(start + Layout::k(lane, 0));
  } else {
    static_assert(Layout::kElements == 32, "load_operand knows operands of 8 or 32 bytes per lane");
    struct halves {
      u32x4 low, high;
    };
    return __builtin_bit_cast(i32x8, halves{from.template at<u32x4>(start + Layout::k(lane, 0)),
                                            from.template at<u32x4>(start + Layout::k(lane, 16))});
  }
}

}  // namespace wt

#endif
