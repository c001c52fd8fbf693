// SPDX-License-Identifier: MIT
// expect: gfx942 has no dot2 of bf16: widen and use fma
// target: gfx942
#include "ops/isa/math.h"

WT_KERNEL(64) dot(const wt::bf16x2 *x, float *y) { *y = wt::dot2(x[0], x[1], *y); }
