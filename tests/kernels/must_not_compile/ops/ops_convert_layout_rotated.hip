// SPDX-License-Identifier: MIT
// expect: does not put each bit of row and column into one place
#include "ops/convert_layout.h"

// Each row begins one column further on.
struct rotated : wt::operand<16, 16> {
  static constexpr int column(int lane, int element) { return (operand::column(lane, element) + lane) % 16; }
};
WT_KERNEL(64) change(wt::rt<float, 16, 16, wt::operand<16, 16>> *to, wt::rt<float, 16, 16, rotated> *from) {
  wt::convert_layout(*to, *from);
}
