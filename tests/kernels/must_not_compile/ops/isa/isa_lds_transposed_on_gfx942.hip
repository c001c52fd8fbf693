// SPDX-License-Identifier: MIT
// expect: store the tile transposed
// target: gfx942
#include "ops/isa/lds.h"

WT_KERNEL(64) read(wt::bf16x4 *data) { *data = wt::ds_read_tr<wt::bf16>(0); }
