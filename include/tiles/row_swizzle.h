// SPDX-License-Identifier: MIT
// Finds the swizzle of a tile whose rows are read as MFMA operands, 16 bytes per lane (natural_operand).
#ifndef WT_TILES_ROW_SWIZZLE_H
#define WT_TILES_ROW_SWIZZLE_H

#include "st.h"
#include "swizzle_solver.h"

namespace wt {

// This is the access of ds_read_b128 for an operand of Rows rows: lane l reads 16 bytes of row l mod Rows.
// RowBytes are the bytes of a tile's row.
template <int Rows, int RowBytes>
struct read_of_operand {
  static constexpr lds_access access =
      lds_access_of<lds_op::read_b128, [](int lane) { return lane % Rows * RowBytes + lane / Rows * 16; }>();
};

// This is the access of the reads of an operand of Layout from a tile of T whose rows have RowBytes bytes.
template <class T, class Layout, int RowBytes>
struct read_of_layout {
  using tile = st<T, Layout::kRows, RowBytes * 8 / (is_fp6<T> ? 8 : kBits<T>)>;
  static constexpr int kMost = is_fp6<T> ? 12 : 16, kRun = Layout::kRun * kBits<T> / 8;
  static constexpr lds_access access = lds_access_of<lds_read_of(kRun < kMost ? kRun : kMost), [](int lane) {
    return tile::linear(Layout::row(lane, 0), Layout::column(lane, 0));
  }>();
};

// This is the swizzle that serves all Accesses of a tile whose rows have RowBytes bytes. It keeps bytes in
// their row and repeats after at most 16 rows.
template <int RowBytes, class... Accesses>
constexpr swizzle solve_row_swizzle =
    solve_swizzle_within<target::kChip, swizzle_limits{RowBytes, 16 * RowBytes}, Accesses...>();

namespace detail {

template <int RowBytes, target::chip Chip>
consteval swizzle solve_row() {
  static_assert(RowBytes >= 64 && (RowBytes & (RowBytes - 1)) == 0,
                "rows of operands are swizzled in powers of two of at least 64 bytes: choose another depth");
  return solve_swizzle_within<Chip, swizzle_limits{RowBytes, 16 * RowBytes}, read_of_operand<16, RowBytes>,
                              read_of_operand<32, RowBytes>>();
}

}  // namespace detail

// This is the swizzle that serves reads of operands of 16 and of 32 rows from a tile whose rows have RowBytes
// bytes. It keeps bytes in their row and repeats after at most 16 rows.
template <int RowBytes, target::chip Chip = target::kChip>
constexpr swizzle swizzle_for_row = detail::solve_row<RowBytes, Chip>();

}  // namespace wt

#endif
