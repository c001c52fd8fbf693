// SPDX-License-Identifier: MIT
// expect: map gives its function one f32 for each argument
#include "ops/map.h"

WT_KERNEL(64) map(wt::rt_c<float, 16, 16> *to) {
  wt::map(*to, [](float x, float y) { return x + y; }, *to);
}
