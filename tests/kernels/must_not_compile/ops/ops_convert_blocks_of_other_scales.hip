// SPDX-License-Identifier: MIT
// expect: the scales belong to another tile
#include "ops/convert_blocks.h"

using layout = wt::scaled_operand<wt::fp4e2m1, 128>;
using elements = wt::rt<wt::fp4e2m1, 16, 128, layout>;
using others = wt::rt<wt::fp6e2m3, 16, 128, layout>;
WT_KERNEL(64) change(elements *to, wt::rs<others> *scales, wt::rt<float, 16, 128, layout> *from) {
  wt::convert(*to, *scales, *from, wt::scale_rounding::up);
}
