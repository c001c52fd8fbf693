// SPDX-License-Identifier: MIT
// expect: B is held the other way round
#include "wavetile_device.h"

WT_KERNEL(64) multiply() {
  wt::rt_c<float, 16, 16> c = {};
  wt::rt_a<wt::bf16, 16, 64> a = {};
  wt::rt_b<wt::bf16, 16, 64> b = {};
  wt::mma_AB(c, a, b);
}
