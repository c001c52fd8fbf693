// SPDX-License-Identifier: MIT
// expect: a lane's elements must fill whole registers
#include "ops/convert_tile.h"

using layout = wt::operand<16, 8>;
WT_KERNEL(64) change(wt::rt<wt::fp8e4m3, 16, 8, layout> *to, wt::rt<float, 16, 8, layout> *from) {
  wt::convert(*to, *from);
}
