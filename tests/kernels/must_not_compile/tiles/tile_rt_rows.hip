// SPDX-License-Identifier: MIT
// expect: rows must be a multiple of the fragment
#include "wavetile_device.h"

wt::rt_c<float, 24, 16> c;
