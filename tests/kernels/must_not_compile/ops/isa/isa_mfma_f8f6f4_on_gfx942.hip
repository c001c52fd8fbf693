// SPDX-License-Identifier: MIT
// expect: use four of 16x16x32 or of 32x32x16
// target: gfx942
#include "ops/isa/mfma.h"

WT_KERNEL(64) narrow(wt::u32x8 *a, wt::f32x4 *c) {
  *c = wt::mfma<wt::fp8e4m3, wt::fp8e4m3, 16, 16, 128>(*a, *a, *c);
}
