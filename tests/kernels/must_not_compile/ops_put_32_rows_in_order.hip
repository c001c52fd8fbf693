// SPDX-License-Identifier: MIT
// expect: rows are interleaved in every 64
// target: gfx950
#include "wavetile_device.h"

WT_KERNEL(64) order(wt::rt_ct<float, 32, 64, 32> *c) { wt::put_in_order(*c); }
