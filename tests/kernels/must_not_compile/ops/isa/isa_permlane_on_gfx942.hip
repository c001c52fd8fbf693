// SPDX-License-Identifier: MIT
// expect: gfx942 has no permlane32_swap: use ds_bpermute
// target: gfx942
#include "ops/isa/crosslane.h"

WT_KERNEL(64) swap(float *data) { wt::permlane32_swap(data[0], data[1]); }
