// SPDX-License-Identifier: MIT
// expect: row reductions fill a col_vec
#include "ops/reduce.h"

using tile = wt::rt_c<float, 32, 16>;
using other = wt::rt_c<float, 16, 16>;
WT_KERNEL(64) reduce(tile *from, wt::col_vec<float, other> *values) { wt::row_sum(*values, *from); }
