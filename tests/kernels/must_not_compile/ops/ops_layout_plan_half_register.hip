// SPDX-License-Identifier: MIT
// expect: must fill whole registers: convert more of them
#include "ops/layout_plan.h"

static_assert(wt::layout_plan<wt::operand<16, 8>, wt::operand<16, 8, 1>, 8>::kRegisters > 0);
