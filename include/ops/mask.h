// SPDX-License-Identifier: MIT
// Masks work by position: elements of a tile whose row and column in the whole matrix do not qualify become a
// given value.
//
// scope: wave; operands: rt of any layout; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
#ifndef WT_OPS_MASK_H
#define WT_OPS_MASK_H

#include "isa/ids.h"
#include "list.h"
#include "map.h"

namespace wt {

// Sets to = from where keep(row, column) holds, else `value`. Rows and columns count from the tile's first
// element.
template <class T, int Rows, int Columns, class Layout, class Keep>
WT_DEVICE void keep_where(rt<T, Rows, Columns, Layout> &to, const rt<T, Rows, Columns, Layout> &from,
                          detail::compute_t<T> value, const Keep &keep) {
  using tile = rt<T, Rows, Columns, Layout>;
  const int lane = lane_id();
  const T other = static_cast<T>(value);
  unrolled<tile::kElements>([&](auto n) WT_INLINE {
    static constexpr int kE = n % Layout::kElements, kFragment = n / Layout::kElements;
    static constexpr int kI = kFragment / tile::kWide, kJ = kFragment % tile::kWide;
    const int row = kI * Layout::kRows + Layout::row(lane, kE);
    const int column = kJ * Layout::kColumns + Layout::column(lane, kE);
    to.fragment[kI][kJ][kE] = keep(row, column) ? from.fragment[kI][kJ][kE] : other;
  });
}

// Sets to = from for attention scores of keys that a query may see, else `value`: a query sees no key after
// it. `row` is the query of the tile's first row and `column` the key of its first column. In a decoder with
// fewer queries than keys, add the difference to row.
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE void make_causal(rt<T, Rows, Columns, Layout> &to, const rt<T, Rows, Columns, Layout> &from,
                           int row, int column, detail::compute_t<T> value) {
  const int ahead = row - column;
  keep_where(to, from, value, [=](int r, int c) WT_INLINE { return r + ahead >= c; });
}

// Does the same where a query sees itself and the `window` - 1 keys before it.
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE void make_window(rt<T, Rows, Columns, Layout> &to, const rt<T, Rows, Columns, Layout> &from,
                           int row, int column, int window, detail::compute_t<T> value) {
  const int ahead = row - column;
  keep_where(to, from, value, [=](int r, int c) WT_INLINE {
    return static_cast<unsigned>(r + ahead - c) < static_cast<unsigned>(window);
  });
}

// Set to = from left of a column (above a row) of the tile, and `value` from it on. They mask the end of a
// matrix that lies within the tile.
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE void right_fill(rt<T, Rows, Columns, Layout> &to, const rt<T, Rows, Columns, Layout> &from,
                          int column, detail::compute_t<T> value) {
  keep_where(to, from, value, [=](int, int c) WT_INLINE { return c < column; });
}
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE void lower_fill(rt<T, Rows, Columns, Layout> &to, const rt<T, Rows, Columns, Layout> &from, int row,
                          detail::compute_t<T> value) {
  keep_where(to, from, value, [=](int r, int) WT_INLINE { return r < row; });
}

}  // namespace wt

#endif
