// SPDX-License-Identifier: MIT
// expect: shuffled scales are for 64 rows and 128 or 256 columns together
// target: gfx950
#include "wavetile_device.h"

using operand = wt::rt<wt::fp4e2m1, 64, 256, wt::scaled_operand<wt::fp4e2m1, 256>>;

WT_KERNEL(64) scales(wt::rs_shuffled<operand> *scale) { *scale = {}; }
