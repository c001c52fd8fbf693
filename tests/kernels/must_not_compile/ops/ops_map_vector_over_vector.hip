// SPDX-License-Identifier: MIT
// expect: only a tile has rows and columns
#include "ops/elementwise.h"

using tile = wt::rt_c<float, 16, 16>;
WT_KERNEL(64) map(wt::col_vec<float, tile> *to, wt::col_vec<float, tile> *values) {
  wt::add_row(*to, *to, *values);
}
