// SPDX-License-Identifier: MIT
// expect: keep narrower values in tiles
#include "tiles/rv.h"

using tile = wt::rt_c<wt::fp8e4m3, 16, 16>;
WT_KERNEL(64) clear(wt::col_vec<wt::fp8e4m3, tile> *values) { wt::zero(*values); }
