// SPDX-License-Identifier: MIT
// expect: laid out as an MFMA accumulator
#include "wavetile_device.h"

WT_KERNEL(64) multiply() {
  wt::rt_a<float, 16, 16> a = {}, b = {}, c = {};
  wt::mma_ABt(c, a, b);
}
