// SPDX-License-Identifier: MIT
// expect: convert tiles of narrower types to f32 first
#include "ops/elementwise.h"

WT_KERNEL(64) map(wt::rt_c<wt::fp8e4m3, 16, 16> *tile) { wt::relu(*tile, *tile); }
