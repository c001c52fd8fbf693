// SPDX-License-Identifier: MIT
// expect: products of i8 are summed in i32
#include "wavetile_device.h"

WT_KERNEL(64) multiply() {
  wt::rt_c<float, 16, 16> c = {};
  wt::rt_a<wt::i8, 16, 128> a = {};
  wt::rt_b<wt::i8, 16, 128> b = {};
  wt::mma_ABt(c, a, b);
}
