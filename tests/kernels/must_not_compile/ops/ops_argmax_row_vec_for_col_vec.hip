// SPDX-License-Identifier: MIT
// expect: row_argmax and row_argmin fill a col_vec<T, Tile> and a col_vec<i32, Tile>
// expect: indices are i32: use col_vec<i32, Tile>
#include "ops/arg_reduce.h"

using tile = wt::rt_c<float, 16, 32>;
WT_KERNEL(64)
reduce(tile *from, wt::row_vec<float, tile> *columns, wt::row_vec<wt::i32, tile> *index,
       wt::col_vec<float, tile> *rows) {
  wt::row_argmax(*columns, *index, *from);
  wt::row_argmin(*rows, *rows, *from);
}
