// SPDX-License-Identifier: MIT
// expect: e8m0_of scales fp8e4m3, fp8e5m2, fp6e2m3, fp6e3m2 or fp4e2m1: name one of these
#include "ops/block_scale.h"

WT_KERNEL(64) scale(float *largest, wt::u32 *to) {
  *to = wt::e8m0_of<wt::bf16>(*largest, wt::scale_rounding::up);
}
