// SPDX-License-Identifier: MIT
// expect: as many as the swizzle permutes together
#include "wavetile_device.h"

WT_KERNEL(64) fill() {
  WT_SHARED wt::st<wt::fp8e4m3, 4, 128, wt::swizzle_row128_pairs> tile;
  tile.bytes[0] = 0;
}
