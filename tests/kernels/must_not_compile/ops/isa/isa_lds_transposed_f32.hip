// SPDX-License-Identifier: MIT
// expect: read f32 with ds_read
// target: gfx950
#include "ops/isa/lds.h"

WT_KERNEL(64) read(wt::f32x2 *data) { *data = wt::ds_read_tr<wt::f32>(0); }
