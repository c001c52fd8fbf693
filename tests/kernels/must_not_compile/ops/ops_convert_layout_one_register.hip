// SPDX-License-Identifier: MIT
// expect: convert a larger tile at once
#include "ops/convert_layout.h"

WT_KERNEL(64) change(wt::rt_ct<wt::fp8e4m3, 16, 16> *to, wt::rt_c<wt::fp8e4m3, 16, 16> *from) {
  wt::convert_layout(*to, *from);
}
