// SPDX-License-Identifier: MIT
// expect: use two of 16x16x16 or of 32x32x8
// target: gfx942
#include "ops/isa/mfma.h"

WT_KERNEL(64) deep(wt::bf16x8 *a, wt::f32x4 *c) { *c = wt::mfma<wt::bf16, wt::bf16, 16, 16, 32>(*a, *a, *c); }
