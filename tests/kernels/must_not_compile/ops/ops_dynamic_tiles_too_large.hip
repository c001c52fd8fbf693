// SPDX-License-Identifier: MIT
// expect: larger than the chip's LDS .64 KB on gfx942, 160 KB on gfx950.: make them smaller
#include "ops/dynamic_lds.h"

using tiles = wt::dynamic_tiles<wt::st<float, 128, 256>, wt::st<float, 128, 256>>;
WT_KERNEL(64) use() { tiles::get<1>().bytes[0] = 0; }
