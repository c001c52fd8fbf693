// SPDX-License-Identifier: MIT
// expect: use col_vec<T, Tile> for one value per row
#include "ops/elementwise.h"

using tile = wt::rt_c<float, 16, 16>;
using other = wt::rt_ct<float, 16, 16>;
WT_KERNEL(64) map(tile *to, wt::col_vec<float, other> *values) { wt::add_row(*to, *to, *values); }
