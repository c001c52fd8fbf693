// SPDX-License-Identifier: MIT
// expect: convert A or B
#include "ops/isa/mfma.h"

WT_KERNEL(64) mixed(wt::f16x4 *a, wt::bf16x4 *b, wt::f32x4 *c) {
  *c = wt::mfma<wt::f16, wt::bf16, 16, 16, 16>(*a, *b, *c);
}
