// SPDX-License-Identifier: MIT
// expect: row_max fills one value per row: pass a col_vec<T, Tile>, or use col_max for the row_vec
// expect: col_sum fills one value per column: pass a row_vec<T, Tile>, or use row_sum for the col_vec
// expect: row_sum fills one value per row: pass col_vec<T, Tile>s, or use col_sum for row_vecs
// expect: col_min fills one value per column: pass row_vec<T, Tile>s
#include "ops/reduce.h"

using tile = wt::rt_c<float, 16, 32>;
WT_KERNEL(64) reduce(tile *from, wt::row_vec<float, tile> *columns, wt::col_vec<float, tile> *rows) {
  wt::row_max(*columns, *from);
  wt::col_sum(*rows, *from);
  wt::row_sum(*rows, *from, *columns);
  wt::col_min(*rows, *from, *columns);
}
