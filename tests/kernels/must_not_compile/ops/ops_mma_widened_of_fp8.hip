// SPDX-License-Identifier: MIT
// expect: B is widened where it is fp4e2m1 and A is bf16
// target: gfx950
#include "wavetile_device.h"

using layout = wt::scaled_operand<wt::fp8e4m3, 128>;
using a_tile = wt::rt<wt::bf16, 16, 128, layout>;
using b_tile = wt::rt<wt::fp8e4m3, 16, 128, layout>;

WT_KERNEL(64) product(a_tile *a, b_tile *b, wt::rs<b_tile> *scale, wt::rt_c<float, 16, 16> *c) {
  wt::mma_ABt(*c, *a, *b, *scale);
}
