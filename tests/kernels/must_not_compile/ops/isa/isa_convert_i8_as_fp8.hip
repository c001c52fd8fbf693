// SPDX-License-Identifier: MIT
// expect: use to_f32 for other types
#include "ops/isa/convert.h"

WT_KERNEL(64) convert(wt::u32 *from, float *to) { *to = wt::fp8_to_f32<wt::i8, 0>(*from); }
