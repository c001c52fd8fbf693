// SPDX-License-Identifier: MIT
// expect: a dword holds four fp8e4m3, fp8e5m2 or i8
#include "ops/isa/convert.h"

WT_KERNEL(64) convert(wt::u32 *from, wt::f32x4 *to) { *to = wt::to_f32<wt::f16>(*from); }
