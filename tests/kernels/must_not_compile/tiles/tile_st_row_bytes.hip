// SPDX-License-Identifier: MIT
// expect: multiple of 16 bytes
#include "wavetile_device.h"

WT_KERNEL(64) fill() {
  WT_SHARED wt::st<wt::bf16, 16, 12> tile;
  tile.bytes[0] = 0;
}
