// SPDX-License-Identifier: MIT
// Declares, for desc->output, the check of a result in a block-scaled format, and what its kernel takes.
#ifndef WT_SRC_BLOCK_OUTPUT_H
#define WT_SRC_BLOCK_OUTPUT_H

#include "core/operand.h"
#include "kernels/block_scale/row_blocks_args.h"

typedef struct wt_block_result {
  wt_operand y, scale;  // elements and scales; only where the result is quantised
  wt_row_blocks args;
} wt_block_result;

static inline bool wt_is_quantized(const wt_block_output *output) { return output->type != (wt_type)0; }

// Checks desc->output of a call whose result has this shape, is written to `y`, and would have rows `ldy`
// elements apart if it was not quantised. Makes the result where it is.
wt_status wt_block_result_make(wt_context *context, const wt_block_output *output, int64_t rows,
                               int64_t columns, const void *y, int64_t ldy, wt_block_result *out);

#endif
