// SPDX-License-Identifier: MIT
// expect: the object is not made of whole parts of this type
#include "wavetile_device.h"

using tile = wt::st<wt::bf16, 64, 64>;

WT_KERNEL(64) place(wt::u32 *to) {
  WT_SHARED wt::st<wt::bf16, 96, 64> lds;
  *to = wt::lds_parts<tile>(lds).address;
}
