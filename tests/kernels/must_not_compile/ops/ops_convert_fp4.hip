// SPDX-License-Identifier: MIT
// expect: pass the rs of the tile, too
#include "ops/convert_tile.h"

using layout = wt::operand<16, 128>;
WT_KERNEL(64) change(wt::rt<wt::fp4e2m1, 16, 128, layout> *to, wt::rt<float, 16, 128, layout> *from) {
  wt::convert(*to, *from);
}
