// SPDX-License-Identifier: MIT
// This header takes a part of a register tile as a tile of its own.
#ifndef WT_OPS_PART_H
#define WT_OPS_PART_H

#include "../tiles/rt.h"
#include "list.h"

namespace wt {

// Returns the part of Rows x Columns elements that begins at element (Row, Column), all multiples of the
// fragment's. It costs nothing: the part is the same registers under another name.
//
// scope: wave; operands: rt of any layout; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
template <int Row, int Column, int Rows, int Columns, class T, int R, int C, class Layout>
WT_DEVICE rt<T, Rows, Columns, Layout> part(const rt<T, R, C, Layout> &from) {
  using to_tile = rt<T, Rows, Columns, Layout>;
  static_assert(Row % Layout::kRows == 0 && Column % Layout::kColumns == 0,
                "a part begins with a fragment: choose multiples of Layout::kRows and kColumns");
  static_assert(Row >= 0 && Column >= 0 && Row + Rows <= R && Column + Columns <= C,
                "the part reaches past the tile: choose a smaller one");
  to_tile to;
  unrolled<to_tile::kTall * to_tile::kWide>([&](auto n) WT_INLINE {
    static constexpr int kI = n / to_tile::kWide, kJ = n % to_tile::kWide;
    to.fragment[kI][kJ] = from.fragment[Row / Layout::kRows + kI][Column / Layout::kColumns + kJ];
  });
  return to;
}

}  // namespace wt

#endif
