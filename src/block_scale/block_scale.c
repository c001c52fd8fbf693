// SPDX-License-Identifier: MIT
// wt_quantize_blocks and wt_dequantize_blocks: check, then launch.
#include <inttypes.h>
#include <stddef.h>

#include "block_scale_call.h"
#include "core/desc.h"
#include "core/f32_scales.h"
#include "core/rows.h"
#include "core/types.h"

static bool along_columns(const wt_block_scale_call *call) {
  return call->desc.along == WT_BLOCKS_ALONG_COLUMNS;
}

static wt_status check_blocks(wt_context *context, const wt_block_scale_call *call) {
  const wt_block_scale_desc *d = &call->desc;
  if (d->along != WT_BLOCKS_ALONG_ROWS && (call->back || d->along != WT_BLOCKS_ALONG_COLUMNS))
    return wt_fail(context, WT_ERROR_VALUE, "desc->along is %d; pass WT_BLOCKS_ALONG_ROWS (0)%s",
                   (int)d->along, call->back ? "" : " or WT_BLOCKS_ALONG_COLUMNS (1)");
  if ((unsigned)d->shape > WT_BLOCKS_OF_SQUARES)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->shape is %d; pass WT_BLOCKS_OF_LINES (0) or WT_BLOCKS_OF_SQUARES (1)",
                   (int)d->shape);
  return WT_SUCCESS;
}

// The kind of scales was checked, and E8M0 with it the chip.
static wt_status check_element_rounding(wt_context *context, const wt_block_scale_desc *d) {
  if ((unsigned)d->element_rounding > WT_ELEMENT_STOCHASTIC)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->element_rounding is %d; pass WT_ELEMENT_NEAREST (0) or WT_ELEMENT_STOCHASTIC (1)",
                   (int)d->element_rounding);
  if (d->element_rounding == WT_ELEMENT_NEAREST) return WT_SUCCESS;
  if (d->scales != WT_BLOCK_SCALES_E8M0)
    return wt_fail(
        context, WT_ERROR_VALUE,
        "desc->element_rounding is WT_ELEMENT_STOCHASTIC (1), but elements with F32 scales are rounded "
        "to nearest even; pass WT_ELEMENT_NEAREST (0), or on gfx950 WT_BLOCK_SCALES_E8M0 (0) as "
        "desc->scales");
  if (d->shape == WT_BLOCKS_OF_LINES) return WT_SUCCESS;
  return wt_fail(
      context, WT_ERROR_VALUE,
      "desc->element_rounding is WT_ELEMENT_STOCHASTIC (1), but squares have the same elements when they "
      "are transposed, which random bits would not; pass WT_ELEMENT_NEAREST (0), or WT_BLOCKS_OF_LINES "
      "(0) as desc->shape");
}

static wt_status check_desc(wt_context *context, const wt_block_scale_desc *desc, wt_block_scale_call *call) {
  static const size_t older[] = {offsetof(wt_block_scale_desc, element_rounding), 0};
  static const wt_desc_layout layout = {"wt_block_scale_desc", "WT_BLOCK_SCALE_DESC_INIT",
                                        sizeof(wt_block_scale_desc), older};
  wt_block_scale_desc *d = &call->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_size(context, "rows", d->rows);
  if (!status) status = wt_check_columns(context, d->columns);
  if (!status) status = check_blocks(context, call);
  if (status) return status;
  if (!wt_row_type(d->type_x))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_x is %s (%d), but it must be WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   wt_type_name(d->type_x), (int)d->type_x);
  const wt_scale_choice choice = {"", "type_q", d->type_q, d->scales, d->rounding, d->scale_block};
  status = wt_check_scale_choice(context, &choice);
  if (!status && !call->back) status = check_element_rounding(context, d);
  if (status) return status;
  const bool mx = d->scales == WT_BLOCK_SCALES_E8M0;
  call->format = mx ? wt_block_format_of(d->type_q) : NULL;
  call->block = mx ? WT_BLOCK_ELEMENTS : WT_F32_BLOCK_ELEMENTS;
  call->q_rows = along_columns(call) ? d->columns : d->rows;
  call->q_columns = along_columns(call) ? d->rows : d->columns;
  if (!mx || call->q_columns % WT_BLOCK_ELEMENTS == 0) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE, "desc->%s is %" PRId64 "; pass a multiple of %d, of whole blocks",
                 along_columns(call) ? "rows" : "columns", call->q_columns, WT_BLOCK_ELEMENTS);
}

static wt_status make_scale(wt_context *context, const void *scale, wt_block_scale_call *call) {
  const wt_block_scale_desc *d = &call->desc;
  const int64_t blocks = wt_divide_up(call->q_columns, call->block);
  if (call->format)
    return wt_byte_matrix(context, "scale", scale, call->q_rows, blocks, "scale_row", d->scale_row,
                          &call->scale);
  const bool squares = d->shape == WT_BLOCKS_OF_SQUARES;
  const int64_t rows = squares ? wt_divide_up(call->q_rows, call->block) : call->q_rows;
  const wt_f32_scales scales = {"scale", "scale", scale, rows, blocks, 1};
  return call->back ? wt_f32_scales_operand(context, &scales, d->scale_row, d->scale_block, 0, &call->scale)
                    : wt_f32_scales_written(context, &scales, d->scale_row, d->scale_block, &call->scale);
}

static wt_status make_operands(wt_context *context, const void *x, const void *q, const void *scale,
                               wt_block_scale_call *call) {
  const wt_block_scale_desc *d = &call->desc;
  const int64_t bytes = call->format ? call->q_columns / call->block * call->format->bytes : call->q_columns;
  wt_status status =
      wt_row_matrix(context, "x", x, d->type_x, d->rows, d->columns, "ldx", d->ldx, call->back, &call->x);
  if (!status)
    status = wt_byte_matrix(context, "q", q, call->q_rows, bytes, "q_row_bytes", d->q_row_bytes, &call->q);
  if (!status) status = make_scale(context, scale, call);
  call->q.written = call->scale.written = !call->back;
  return status;
}

static wt_status run(wt_context *context, const wt_block_scale_desc *desc, const void *x, const void *q,
                     const void *scale, bool back, hipStream_t stream) {
  wt_block_scale_call call = {.back = back};
  int previous;
  wt_status status = check_desc(context, desc, &call);
  if (!status) status = make_operands(context, x, q, scale, &call);
  if (!status) status = wt_device_enter(context, &previous);
  if (status) return status;
  const wt_operand all[3] = {call.x, call.q, call.scale};
  status = wt_operands_check(context, all, 3);
  if (!status) status = wt_block_scale_launch(context, &call, stream);
  wt_device_leave(previous);
  return status;
}

wt_status wt_quantize_blocks(wt_context *context, const wt_block_scale_desc *desc, const void *x, void *q,
                             void *scale, struct ihipStream_t *stream) {
  return run(context, desc, x, q, scale, false, stream);
}

wt_status wt_dequantize_blocks(wt_context *context, const wt_block_scale_desc *desc, const void *q,
                               const void *scale, void *x, struct ihipStream_t *stream) {
  return run(context, desc, x, q, scale, true, stream);
}
