// SPDX-License-Identifier: MIT
// expect: use target::kDirectToLdsBytes
// target: gfx942
#include "ops/isa/buffer.h"

WT_KERNEL(64) copy(const char *from) { wt::buffer_load_to_lds<16>(wt::make_buffer(from, 1024), 0, 0, 0u); }
