// SPDX-License-Identifier: MIT
// expect: C is not m x n
#include "wavetile_device.h"

WT_KERNEL(64) multiply() {
  wt::rt_c<float, 32, 16> c = {};
  wt::rt_a<wt::bf16, 16, 64> a = {};
  wt::rt_b<wt::bf16, 16, 64> b = {};
  wt::mma_ABt(c, a, b);
}
