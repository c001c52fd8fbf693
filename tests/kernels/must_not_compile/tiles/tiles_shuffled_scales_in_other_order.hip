// SPDX-License-Identifier: MIT
// expect: MFMAs 0 and 1 must have the first four blocks
// target: gfx950
#include "wavetile_device.h"

// A lane has four blocks that follow each other, as rows of scales suit.
using operand = wt::rt<wt::fp4e2m1, 64, 256, wt::scaled_operand<wt::fp4e2m1, 256, 32>>;

WT_KERNEL(64) scales(wt::rs_shuffled<operand> *scale) { *scale = {}; }
