// SPDX-License-Identifier: MIT
// expect: use to_f32 and from_f32 for other types
// target: gfx950
#include "ops/isa/convert_mx.h"

WT_KERNEL(64) widen(wt::registers<wt::bf16, 32> *from, wt::f32x32 *to) {
  *to = wt::mx_to_f32<wt::bf16>(*from, 1.0f);
}
