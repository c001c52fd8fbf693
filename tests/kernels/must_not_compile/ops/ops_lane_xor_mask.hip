// SPDX-License-Identifier: MIT
// expect: lanes are numbered 0 to 63
#include "ops/lanes.h"

WT_KERNEL(64) exchange(float *value) { *value = wt::lane_xor<64>(*value); }
