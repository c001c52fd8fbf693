// SPDX-License-Identifier: MIT
// expect: pinned operands need a pinned accumulator
#include "wavetile_device.h"

WT_KERNEL(64) multiply() {
  wt::rt_c<float, 16, 16> c = {};
  wt::rt_agpr<wt::bf16, 16, 64, wt::natural_operand<wt::bf16>> a = {};
  wt::rt_b<wt::bf16, 16, 64> b = {};
  wt::mma_ABt(c, a, b);
}
