// SPDX-License-Identifier: MIT
// expect: form it with dpp::quad_perm
#include "ops/isa/dpp.h"

WT_KERNEL(64) shift(float *data) { *data = wt::mov_dpp<wt::dpp::row_shr(16)>(*data); }
