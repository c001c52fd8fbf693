// SPDX-License-Identifier: MIT
// expect: forget takes whole registers
#include "ops/isa/forget.h"

WT_KERNEL(64) half(wt::f16 *x) { wt::forget(*x); }
