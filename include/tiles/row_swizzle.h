// SPDX-License-Identifier: MIT
// The swizzle of a tile whose rows are read as MFMA operands, 16 bytes per lane (natural_operand).
#ifndef WT_TILES_ROW_SWIZZLE_H
#define WT_TILES_ROW_SWIZZLE_H

#include "swizzle_solver.h"

namespace wt {

// ds_read_b128 of an operand of Rows rows: lane l reads 16 bytes of row l mod Rows.
template <int Rows, int RowBytes>
struct read_of_operand {
  static constexpr lds_access access =
      lds_access_of<lds_op::read_b128, [](int lane) { return lane % Rows * RowBytes + lane / Rows * 16; }>();
};

// The swizzle of a tile of rows of RowBytes that serves all Accesses: bytes stay in their row, and it repeats
// after at most 16 rows.
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

// For operands of 16 and of 32 rows. Bytes stay in their row, and it repeats after at most 16 rows.
template <int RowBytes, target::chip Chip = target::kChip>
constexpr swizzle swizzle_for_row = detail::solve_row<RowBytes, Chip>();

}  // namespace wt

#endif
