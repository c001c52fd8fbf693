// SPDX-License-Identifier: MIT
// expect: load the matrix's type, then convert
#include "ops/global_tile.h"

WT_KERNEL(64) load(wt::rt_c<float, 16, 16> *to, wt::gl<const wt::bf16> from) { wt::load(*to, from, 0, 0); }
