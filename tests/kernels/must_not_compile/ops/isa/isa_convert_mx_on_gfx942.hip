// SPDX-License-Identifier: MIT
// expect: multiply by it, and use from_f32 to fp8e4m3
// target: gfx942
#include "ops/isa/convert_mx.h"

WT_KERNEL(64) widen(wt::u32x4 *from, wt::f32x32 *to) { *to = wt::mx_to_f32<wt::fp4e2m1>(*from, 1.0f); }
