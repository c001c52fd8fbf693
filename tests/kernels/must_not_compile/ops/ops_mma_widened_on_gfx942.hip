// SPDX-License-Identifier: MIT
// expect: gfx942 has no conversions with a scale
// target: gfx942
#include "wavetile_device.h"

using layout = wt::scaled_operand<wt::fp4e2m1, 128>;
using a_tile = wt::rt<wt::bf16, 16, 128, layout>;
using b_tile = wt::rt<wt::fp4e2m1, 16, 128, layout>;

WT_KERNEL(64) product(a_tile *a, b_tile *b, wt::rs<b_tile> *scale, wt::rt_c<float, 16, 16> *c) {
  wt::mma_ABt(*c, *a, *b, *scale);
}
