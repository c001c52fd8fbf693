// SPDX-License-Identifier: MIT
// This header says which row of a matrix each row of an LDS tile has.
#ifndef WT_TILES_ROW_ORDER_H
#define WT_TILES_ROW_ORDER_H

namespace wt {

// natural:      row i of the tile has row i of the matrix.
// interleaved:  in every 64 rows, the second and the third 16 change places. A fragment of 32 rows then has
//               the upper 16 rows of two groups of 32, and the next one their lower 16, as shuffled scales
//               go together (rs_shuffled). Doing it twice gives the natural order.
enum class row_order { natural, interleaved };

// Returns the row of the matrix that row `row` of the tile has.
template <row_order Order>
constexpr int ordered_row(int row) {
  return Order == row_order::natural ? row : (row & ~48) | (row & 16) << 1 | (row & 32) >> 1;
}

}  // namespace wt

#endif
