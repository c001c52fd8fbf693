// SPDX-License-Identifier: MIT
// Scales of blocks in a grouped descriptor, for grouped_plan.c.
#ifndef WT_SRC_GROUPED_SCALES_H
#define WT_SRC_GROUPED_SCALES_H

#include "grouped_plan.h"

// Checks the members that are about scales of blocks, and with them the types where there are such scales.
// Sets plan->scaling. The members of the plan's matrices are known.
wt_status wt_grouped_check_scales(wt_context *context, wt_grouped_plan *plan);

// Makes the operands A and B where there are scales: rows of what is summed over, with their scales, and the
// strides that the descriptor leaves at 0.
wt_status wt_grouped_make_scaled(wt_context *context, wt_grouped_plan *plan, const void *a, const void *b);

#endif
