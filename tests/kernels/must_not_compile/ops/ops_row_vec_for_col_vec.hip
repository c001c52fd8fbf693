// SPDX-License-Identifier: MIT
// expect: add_row takes one value per row: pass a col_vec<T, Tile>, or use add_col for the row_vec
// expect: mul_col takes one value per column: pass a row_vec<T, Tile>, or use mul_row for the col_vec
// expect: broadcast_row takes one value per row: pass a col_vec<T, Tile>
// expect: or use broadcast_col for the row_vec
// expect: broadcast_col takes one value per column: pass a row_vec<T, Tile>
// expect: or use broadcast_row for the col_vec
// expect: by_row takes one value per row: pass a col_vec<T, Tile>, or use by_column for the row_vec
// expect: by_column takes one value per column: pass a row_vec<T, Tile>, or use by_row for the col_vec
#include "ops/elementwise.h"

using tile = wt::rt_c<float, 16, 32>;
WT_KERNEL(64) map(tile *to, wt::row_vec<float, tile> *columns, wt::col_vec<float, tile> *rows) {
  wt::add_row(*to, *to, *columns);
  wt::mul_col(*to, *to, *rows);
  wt::broadcast_row(*to, *columns);
  wt::broadcast_col(*to, *rows);
  wt::fma(*to, *to, wt::by_row(*columns), wt::by_column(*rows));
}
