// SPDX-License-Identifier: MIT
// expect: divide evenly into one copy per wave
// target: gfx950
#include "wavetile_device.h"

using tile = wt::st<wt::fp8e4m3, 8, 128>;
WT_KERNEL(512) copy() { const wt::lds_copier<tile, 8> copier(128, 0, 8); }
