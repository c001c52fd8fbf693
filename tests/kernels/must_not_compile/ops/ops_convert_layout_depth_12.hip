// SPDX-License-Identifier: MIT
// expect: fragments of a power of two rows and columns
#include "ops/convert_layout.h"

using from_layout = wt::operand<16, 12>;
using to_layout = wt::operand<16, 12, 1>;
WT_KERNEL(64) change(wt::rt<float, 16, 12, to_layout> *to, wt::rt<float, 16, 12, from_layout> *from) {
  wt::convert_layout(*to, *from);
}
