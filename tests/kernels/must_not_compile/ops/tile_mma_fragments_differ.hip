// SPDX-License-Identifier: MIT
// expect: fragments of one size
#include "wavetile_device.h"

WT_KERNEL(64) multiply() {
  wt::rt_c<float, 32, 32> c = {};
  wt::rt_a<wt::bf16, 32, 64, 32> a = {};
  wt::rt_b<wt::bf16, 32, 64, 16> b = {};
  wt::mma_ABt(c, a, b);
}
