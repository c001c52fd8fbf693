// SPDX-License-Identifier: MIT
// expect: apply scales of other types to C
#include "ops/isa/mfma.h"

WT_KERNEL(64) scaled(wt::bf16x4 *a, wt::f32x4 *c) {
  *c = wt::mfma_scaled<wt::bf16, wt::bf16, 16, 16, 16>(*a, *a, *c, 127, 127);
}
