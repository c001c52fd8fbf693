// SPDX-License-Identifier: MIT
// expect: elements of 6 bits alone are spaced
#include "wavetile_device.h"

WT_KERNEL(64) fill() {
  WT_SHARED wt::st<wt::fp4e2m1, 16, 32, wt::no_swizzle, wt::spacing::sixteens> tile;
  tile.bytes[0] = 0;
}
