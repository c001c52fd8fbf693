// SPDX-License-Identifier: MIT
// expect: use convert_layout
#include "ops/elementwise.h"

WT_KERNEL(64) map(wt::rt_c<float, 16, 16> *to, wt::rt_ct<float, 16, 16> *from) { wt::add(*to, *to, *from); }
