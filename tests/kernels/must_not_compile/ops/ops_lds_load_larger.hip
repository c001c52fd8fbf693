// SPDX-License-Identifier: MIT
// expect: the register tile is larger than the LDS tile
#include "ops/lds_load.h"

WT_KERNEL(64) load(wt::rt_c<float, 32, 32> *to) {
  WT_SHARED static wt::st<float, 16, 32> lds;
  wt::load(*to, lds);
}
