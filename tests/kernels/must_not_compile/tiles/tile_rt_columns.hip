// SPDX-License-Identifier: MIT
// expect: columns must be a multiple of the fragment
#include "wavetile_device.h"

wt::rt_a<wt::bf16, 16, 40> a;
