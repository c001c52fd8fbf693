// SPDX-License-Identifier: MIT
// expect: a register file has 256 registers
#include "wavetile_device.h"

wt::rt_agpr<float, 128, 128, wt::accumulator<16, 16>, 4> c;
