// SPDX-License-Identifier: MIT
// expect: a lane must hold the same columns of A and of B
// target: gfx950
#include "wavetile_device.h"

using a_tile = wt::rt_a<wt::bf16, 16, 128>;  // 8 columns of each 32
using b_tile = wt::rt<wt::fp4e2m1, 16, 128, wt::scaled_operand<wt::fp4e2m1, 128>>;

WT_KERNEL(64) product(a_tile *a, b_tile *b, wt::rs<b_tile> *scale, wt::rt_c<float, 16, 16> *c) {
  wt::mma_ABt(*c, *a, *b, *scale);
}
