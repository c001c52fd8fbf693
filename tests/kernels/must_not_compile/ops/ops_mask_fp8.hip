// SPDX-License-Identifier: MIT
// expect: convert tiles of narrower types to f32 first
#include "ops/mask.h"

WT_KERNEL(64) mask(wt::rt_c<wt::fp8e4m3, 16, 16> *tile) { wt::make_causal(*tile, *tile, 0, 0, 0.0f); }
