// SPDX-License-Identifier: MIT
// expect: gfx942 has no MFMA with block scales
// target: gfx942
#include "wavetile_device.h"

using operand = wt::rt<wt::fp4e2m1, 16, 128, wt::scaled_operand<wt::fp4e2m1, 128>>;

WT_KERNEL(64) product(operand *a, wt::rs<operand> *scale, wt::rt_c<float, 16, 16> *c) {
  wt::mma_ABt(*c, *a, *scale, *a, *scale);
}
