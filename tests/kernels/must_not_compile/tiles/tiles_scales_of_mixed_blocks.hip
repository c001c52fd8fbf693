// SPDX-License-Identifier: MIT
// expect: this layout mixes blocks of 32 columns
#include "wavetile_device.h"

using operand = wt::rt<wt::fp4e2m1, 16, 128, wt::operand<16, 128, 16>>;

WT_KERNEL(64) scales(wt::rs<operand> *scale) { *scale = {}; }
