// SPDX-License-Identifier: MIT
// expect: i8 MFMA shapes are 16x16x32
#include "ops/isa/mfma.h"

WT_KERNEL(64) shape(wt::u32 *a, wt::i32x4 *c) { *c = wt::mfma<wt::i8, wt::i8, 16, 16, 16>(*a, *a, *c); }
