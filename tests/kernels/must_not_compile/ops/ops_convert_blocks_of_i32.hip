// SPDX-License-Identifier: MIT
// expect: elements of blocks become f32, bf16 or f16
#include "ops/convert_blocks.h"

using layout = wt::scaled_operand<wt::fp4e2m1, 128>;
using elements = wt::rt<wt::fp4e2m1, 16, 128, layout>;
WT_KERNEL(64) change(wt::rt<int, 16, 128, layout> *to, elements *from, wt::rs<elements> *scales) {
  wt::convert(*to, *from, *scales);
}
