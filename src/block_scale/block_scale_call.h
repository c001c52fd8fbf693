// SPDX-License-Identifier: MIT
// Declares a conversion to or from a block-scaled format, checked, and its launch.
#ifndef WT_SRC_BLOCK_SCALE_CALL_H
#define WT_SRC_BLOCK_SCALE_CALL_H

#include "core/blocks.h"
#include "core/launch.h"

typedef struct wt_block_scale_call {
  wt_block_scale_desc desc;
  bool back;                      // from the format: x is the output
  int64_t block;                  // elements
  int64_t q_rows, q_columns;      // elements of q
  const wt_block_format *format;  // of E8M0 scales; NULL: F32
  wt_operand x, q, scale;
} wt_block_scale_call;

// Launches the conversion. The device must be current.
wt_status wt_block_scale_launch(wt_context *context, const wt_block_scale_call *call, hipStream_t stream);

#endif
