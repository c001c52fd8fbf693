// SPDX-License-Identifier: MIT
// expect: shuffled scales are for 32 rows together
// target: gfx950
#include "wavetile_device.h"

WT_KERNEL(64) scales(wt::shuffled_scale_tile<48> *tile) { *tile = {}; }
