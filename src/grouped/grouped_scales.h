// SPDX-License-Identifier: MIT
// Scales of blocks in a grouped descriptor, for grouped_plan.c.
#ifndef WT_SRC_GROUPED_SCALES_H
#define WT_SRC_GROUPED_SCALES_H

#include "grouped_plan.h"

// Checks the members that are about scales of blocks, and with them the types where there are such scales.
wt_status wt_grouped_check_scales(wt_context *context, const wt_grouped_desc *desc, wt_grouped_pass pass);

// Makes the operand of a matrix in an MX format, in bytes; `ld` is desc->`ld_name`, in elements.
wt_status wt_grouped_packed_matrix(wt_context *context, const char *name, const void *pointer, wt_type type,
                                   int64_t rows, int64_t columns, const char *ld_name, int64_t ld,
                                   wt_operand *out);

// Makes the operands of the scales, with the strides that the descriptor leaves at 0.
wt_status wt_grouped_make_scales(wt_context *context, wt_grouped_plan *plan);

#endif
