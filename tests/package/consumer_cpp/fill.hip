// SPDX-License-Identifier: MIT
// Stores the option VALUE, one element per lane.
#include <wavetile_device.h>

WT_KERNEL(64) fill(int *out) { out[wt::lane_id()] = VALUE; }
