// SPDX-License-Identifier: MIT
// expect: moves elements of 8, 16 or 32 bits
#include "ops/convert_layout.h"

using from_layout = wt::operand<16, 128>;
using to_layout = wt::operand<32, 64>;
WT_KERNEL(64)
change(wt::rt<wt::fp4e2m1, 32, 128, to_layout> *to, wt::rt<wt::fp4e2m1, 32, 128, from_layout> *from) {
  wt::convert_layout(*to, *from);
}
