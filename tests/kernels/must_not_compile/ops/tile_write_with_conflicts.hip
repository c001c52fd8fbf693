// SPDX-License-Identifier: MIT
// expect: these writes would have bank conflicts
#include "wavetile_device.h"

WT_KERNEL(64) write() {
  WT_SHARED wt::st<float, 64, 64> tile;
  wt::rt_ct<float, 16, 16> c = {};
  wt::store(tile, c, 0, 0);
}
