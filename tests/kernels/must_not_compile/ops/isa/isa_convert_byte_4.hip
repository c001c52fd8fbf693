// SPDX-License-Identifier: MIT
// expect: a dword holds bytes 0 to 3
#include "ops/isa/convert.h"

WT_KERNEL(64) convert(wt::u32 *from, float *to) { *to = wt::fp8_to_f32<wt::fp8e4m3, 4>(*from); }
