// SPDX-License-Identifier: MIT
// expect: even-aligned registers
#include "wavetile_device.h"

wt::rt_agpr<float, 16, 16, wt::accumulator<16, 16>, 3> c;
