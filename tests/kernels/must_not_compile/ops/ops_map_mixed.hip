// SPDX-License-Identifier: MIT
// expect: convert one of them first
#include "ops/elementwise.h"

WT_KERNEL(64) map(wt::rt_c<float, 16, 16> *to, wt::rt_c<wt::i32, 16, 16> *from) { wt::add(*to, *to, *from); }
