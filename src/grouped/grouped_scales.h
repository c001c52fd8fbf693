// SPDX-License-Identifier: MIT
// Checks the scales of blocks in a grouped descriptor, for grouped_plan.c.
#ifndef WT_SRC_GROUPED_SCALES_H
#define WT_SRC_GROUPED_SCALES_H

#include "grouped_plan.h"

// Checks the members that are about scales of blocks, and with them the types where there are such scales.
// Sets plan->scaling. The members of the plan's matrices are known.
wt_status wt_grouped_check_scales(wt_context *context, wt_grouped_plan *plan);

// Makes the operand of a matrix in an MX format, or of BF16 beside one, in bytes.
wt_status wt_grouped_packed_matrix(wt_context *context, const wt_grouped_member *of, const void *pointer,
                                   wt_grouped_size size, wt_operand *out);

// Makes the operands of the scales, with the strides that the descriptor leaves at 0.
wt_status wt_grouped_make_scales(wt_context *context, wt_grouped_plan *plan);

#endif
