// SPDX-License-Identifier: MIT
// expect: begins at a multiple of 16 bytes: round its offset up
#include "ops/dynamic_lds.h"

WT_KERNEL(64) use() { wt::dynamic_tile<wt::sv<float, 64>, 8>().bytes[0] = 0; }
