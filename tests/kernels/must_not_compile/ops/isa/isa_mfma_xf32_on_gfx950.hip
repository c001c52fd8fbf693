// SPDX-License-Identifier: MIT
// expect: use f32 16x16x4 or 32x32x2
// target: gfx950
#include "ops/isa/mfma.h"

WT_KERNEL(64) xf32(wt::f32x2 *a, wt::f32x4 *c) { *c = wt::mfma<wt::xf32, wt::xf32, 16, 16, 8>(*a, *a, *c); }
