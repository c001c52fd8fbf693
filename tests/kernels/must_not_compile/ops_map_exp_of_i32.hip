// SPDX-License-Identifier: MIT
// expect: exp is a function of floats
#include "ops/maps.h"

WT_KERNEL(64) map(wt::rt_c<wt::i32, 16, 16> *tile) { wt::exp(*tile, *tile); }
