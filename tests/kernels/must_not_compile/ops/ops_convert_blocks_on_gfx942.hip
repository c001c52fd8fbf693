// SPDX-License-Identifier: MIT
// expect: gfx942 has no conversions with a scale: convert to fp8e4m3
// target: gfx942
#include "ops/convert_blocks.h"

using layout = wt::scaled_operand<wt::fp4e2m1, 128>;
using elements = wt::rt<wt::fp4e2m1, 16, 128, layout>;
WT_KERNEL(64) change(wt::rt<float, 16, 128, layout> *to, elements *from, wt::rs<elements> *scales) {
  wt::convert(*to, *from, *scales);
}
