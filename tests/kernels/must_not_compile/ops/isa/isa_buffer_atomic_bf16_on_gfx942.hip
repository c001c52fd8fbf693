// SPDX-License-Identifier: MIT
// expect: use global_atomic_add
// target: gfx942
#include "ops/isa/buffer.h"

WT_KERNEL(64) add(wt::bf16x2 *data) { wt::buffer_atomic_add(wt::make_buffer(data, 4), 0, wt::bf16x2{1, 2}); }
