// SPDX-License-Identifier: MIT
// A wave adds a tile in registers to global memory by atomic additions, for sums to which many work-groups
// contribute. The hardware chooses their order, and with it the rounding.
#ifndef WT_OPS_ATOMIC_TILE_H
#define WT_OPS_ATOMIC_TILE_H

#include "../tiles/rt.h"
#include "isa/buffer.h"
#include "isa/ids.h"
#include "list.h"

namespace wt {

// Adds a tile of f32 to the matrix in a buffer whose rows lie RowBytes bytes apart, from its row 0 and
// element `column` of that row on: one addition per element, dropped past the buffer's end.
//
// scope: wave; operands: rt of f32 in any layout, buffer; leaves: vmcnt; waits: nobody; LDS: none; registers:
// 1 address; chips: both
template <int RowBytes, int Rows, int Columns, class Layout>
WT_DEVICE void atomic_add(buffer to, const rt<f32, Rows, Columns, Layout> &from, int column) {
  using tile = rt<f32, Rows, Columns, Layout>;
  static constexpr int kBytes = static_cast<int>(sizeof(f32));
  const int lane = lane_id();
  const int at = Layout::row(lane, 0) * RowBytes + (Layout::column(lane, 0) + column) * kBytes;
  unrolled<tile::kElements>([&](auto n) WT_INLINE {
    static constexpr int kE = n % Layout::kElements, kFragment = n / Layout::kElements;
    static constexpr int kI = kFragment / tile::kWide, kJ = kFragment % tile::kWide;
    static constexpr int kThere = (kI * Layout::kRows + Layout::row(0, kE)) * RowBytes +
                                  (kJ * Layout::kColumns + Layout::column(0, kE)) * kBytes;
    static constexpr int kNear = kThere % 4096;  // what fits into the instruction
    buffer_atomic_add(to, at + kNear, static_cast<f32>(from.fragment[kI][kJ][kE]), kThere - kNear);
  });
}

}  // namespace wt

#endif
