// SPDX-License-Identifier: MIT
// expect: block scales belong to fp8e4m3, fp8e5m2, fp6e2m3, fp6e3m2 or fp4e2m1
#include "wavetile_device.h"

using operand = wt::rt<wt::bf16, 16, 128, wt::operand<16, 128, 8>>;

WT_KERNEL(64) scales(wt::rs<operand> *scale) { *scale = {}; }
