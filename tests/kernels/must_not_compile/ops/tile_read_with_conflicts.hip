// SPDX-License-Identifier: MIT
// expect: these reads would have bank conflicts
#include "wavetile_device.h"

using tile = wt::st<wt::fp8e4m3, 128, 128>;
WT_KERNEL(64) read() { const wt::lds_reader<tile, wt::natural_operand<wt::fp8e4m3>> reader(0); }
