// SPDX-License-Identifier: MIT
// expect: convert them to fp8e4m3
// target: gfx942
#include "ops/isa/mfma.h"

WT_KERNEL(64) narrow(wt::u32x4 *a, wt::f32x4 *c) {
  *c = wt::mfma_scaled<wt::fp4e2m1, wt::fp4e2m1, 16, 16, 128>(*a, *a, *c, 127, 127);
}
