// SPDX-License-Identifier: MIT
// expect: from_f32 converts to f32, f16, bf16
#include "ops/isa/convert.h"

WT_KERNEL(64) convert(float *from, long *to) { *to = wt::from_f32<long>(*from); }
