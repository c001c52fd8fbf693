// SPDX-License-Identifier: MIT
// wt_quantize_blocks and wt_dequantize_blocks: check, then launch.
#include <inttypes.h>
#include <stdio.h>

#include "core/blocks.h"
#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "kernels/block_scale/block_scale_args.h"

// Work-groups enough to keep every CU busy; each thread then takes several blocks.
enum { MOST_GROUPS = 4096 };

typedef struct block_scale_call {
  wt_block_scale_desc desc;
  const wt_block_format *format;
  wt_operand x, q, scale;
} block_scale_call;

static bool along_columns(const block_scale_call *call) {
  return call->desc.along == WT_BLOCKS_ALONG_COLUMNS;
}

static wt_status check_types(wt_context *context, block_scale_call *call) {
  const wt_block_scale_desc *d = &call->desc;
  const wt_status status =
      wt_check_blocks_target(context, "conversions with a block's scale; use wt_quantize");
  if (status) return status;
  if (!wt_row_type(d->type_x))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_x is %s (%d), but it must be WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   wt_type_name(d->type_x), (int)d->type_x);
  call->format = wt_block_format_of(d->type_q);
  if (!call->format)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_q is %s (%d), but it must be WT_TYPE_F8E4M3, WT_TYPE_F8E5M2, WT_TYPE_F6E2M3, "
                   "WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1",
                   wt_type_name(d->type_q), (int)d->type_q);
  return WT_SUCCESS;
}

static wt_status check_desc(wt_context *context, const wt_block_scale_desc *desc, bool back,
                            block_scale_call *call) {
  static const wt_desc_layout layout = {"wt_block_scale_desc", "WT_BLOCK_SCALE_DESC_INIT",
                                        sizeof(wt_block_scale_desc), 0};
  wt_block_scale_desc *d = &call->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_size(context, "rows", d->rows);
  if (!status) status = wt_check_columns(context, d->columns);
  if (!status) status = check_types(context, call);
  if (status) return status;
  if (d->along != WT_BLOCKS_ALONG_ROWS && (back || d->along != WT_BLOCKS_ALONG_COLUMNS))
    return wt_fail(context, WT_ERROR_VALUE, "desc->along is %d; pass WT_BLOCKS_ALONG_ROWS (0)%s",
                   (int)d->along, back ? "" : " or WT_BLOCKS_ALONG_COLUMNS (1)");
  status = wt_check_scale_rounding(context, "rounding", d->rounding);
  if (status) return status;
  const int64_t size = along_columns(call) ? d->rows : d->columns;
  if (size % WT_BLOCK_ELEMENTS)
    return wt_fail(context, WT_ERROR_SIZE, "desc->%s is %" PRId64 "; pass a multiple of %d, of whole blocks",
                   along_columns(call) ? "rows" : "columns", size, WT_BLOCK_ELEMENTS);
  return WT_SUCCESS;
}

// `back`: x is the output.
static wt_status make_operands(wt_context *context, block_scale_call *call, const void *x, const void *q,
                               const uint8_t *scale, bool back) {
  const wt_block_scale_desc *d = &call->desc;
  const int64_t rows = along_columns(call) ? d->columns : d->rows;  // of q
  const int64_t blocks = (along_columns(call) ? d->rows : d->columns) / WT_BLOCK_ELEMENTS;
  wt_status status =
      wt_row_matrix(context, "x", x, d->type_x, d->rows, d->columns, "ldx", d->ldx, back, &call->x);
  if (!status)
    status = wt_byte_matrix(context, "q", q, rows, blocks * call->format->bytes, "q_row_bytes",
                            d->q_row_bytes, &call->q);
  if (!status)
    status = wt_byte_matrix(context, "scale", scale, rows, blocks, "scale_row_bytes", d->scale_row_bytes,
                            &call->scale);
  call->q.written = call->scale.written = !back;
  return status;
}

static wt_status launch(wt_context *context, const block_scale_call *call, bool back, hipStream_t stream) {
  const wt_block_scale_desc *d = &call->desc;
  const int64_t slow = along_columns(call) ? d->rows / WT_BLOCK_ELEMENTS : d->rows;
  const int64_t fast = along_columns(call) ? d->columns : d->columns / WT_BLOCK_ELEMENTS;
  const int64_t groups = wt_at_most(wt_divide_up(slow * fast, WT_BLOCK_THREADS), MOST_GROUPS);
  wt_launch blocks = {.x = (unsigned)groups, .y = 1, .z = 1, .threads = WT_BLOCK_THREADS};
  wt_block_scale_args args = {.x = (void *)(uintptr_t)call->x.pointer,
                              .q = (void *)(uintptr_t)call->q.pointer,
                              .scale = (unsigned char *)(uintptr_t)call->scale.pointer,
                              .x_row = call->x.axes[0].stride,
                              .q_row = call->q.axes[0].stride,
                              .scale_row = call->scale.axes[0].stride,
                              .slow = (unsigned)slow,
                              .fast = (unsigned)fast,
                              .threads = blocks.x * WT_BLOCK_THREADS,
                              .rounding = (int)d->rounding};
  if (back)
    snprintf(blocks.symbol, sizeof blocks.symbol, "dequantize_blocks_%s_%s", wt_row_type(d->type_x),
             call->format->name);
  else
    snprintf(blocks.symbol, sizeof blocks.symbol, "quantize_blocks_%s_%s_%s", wt_row_type(d->type_x),
             call->format->name, along_columns(call) ? "column" : "row");
  wt_status status = wt_launch_find(context, back ? "dequantize_blocks" : "quantize_blocks", &blocks);
  return status ? status : wt_launch_enqueue(context, &blocks, &args, stream);
}

static wt_status run(wt_context *context, const wt_block_scale_desc *desc, const void *x, const void *q,
                     const uint8_t *scale, bool back, hipStream_t stream) {
  block_scale_call call = {0};
  int previous;
  wt_status status = check_desc(context, desc, back, &call);
  if (!status) status = make_operands(context, &call, x, q, scale, back);
  if (!status) status = wt_device_enter(context, &previous);
  if (status) return status;
  const wt_operand all[3] = {call.x, call.q, call.scale};
  status = wt_operands_check(context, all, 3);
  if (!status) status = launch(context, &call, back, stream);
  wt_device_leave(previous);
  return status;
}

wt_status wt_quantize_blocks(wt_context *context, const wt_block_scale_desc *desc, const void *x, void *q,
                             uint8_t *scale, struct ihipStream_t *stream) {
  return run(context, desc, x, q, scale, false, stream);
}

wt_status wt_dequantize_blocks(wt_context *context, const wt_block_scale_desc *desc, const void *q,
                               const uint8_t *scale, void *x, struct ihipStream_t *stream) {
  return run(context, desc, x, q, scale, true, stream);
}
