// SPDX-License-Identifier: MIT
// expect: the part reaches past the tile: choose a smaller one
#include "ops/part.h"

using tile = wt::rt_c<float, 32, 32>;
WT_KERNEL(64) cut(tile *data) {
  *reinterpret_cast<wt::rt_c<float, 16, 32> *>(data) = wt::part<0, 16, 16, 32>(*data);
}
