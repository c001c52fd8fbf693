// SPDX-License-Identifier: MIT
// expect: a swizzle may flip only bits below the source bit
#include "tiles/swizzle.h"

WT_KERNEL(64) upward(int *offset) { *offset = wt::swizzled<wt::xor_bits(4, 1, 8)>(*offset); }
