// SPDX-License-Identifier: MIT
// expect: a part begins with a fragment: choose multiples
#include "ops/part.h"

using tile = wt::rt_c<float, 32, 32>;
WT_KERNEL(64) cut(tile *data) {
  *reinterpret_cast<wt::rt_c<float, 16, 16> *>(data) = wt::part<8, 0, 16, 16>(*data);
}
