// SPDX-License-Identifier: MIT
// expect: A and B must bring the same columns to each instruction
// target: gfx950
#include "wavetile_device.h"

// A lane has two blocks of A one after the other, and of B 128 columns apart.
using a_tile = wt::rt<wt::fp4e2m1, 16, 256, wt::scaled_operand<wt::fp4e2m1, 256>>;
using b_tile = wt::rt<wt::fp8e4m3, 16, 256, wt::operand<16, 256, 16>>;

WT_KERNEL(64)
product(a_tile *a, wt::rs<a_tile> *sa, b_tile *b, wt::rs<b_tile> *sb, wt::rt_c<float, 16, 16> *c) {
  wt::mma_ABt(*c, *a, *sa, *b, *sb);
}
