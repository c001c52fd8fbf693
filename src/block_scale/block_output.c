// SPDX-License-Identifier: MIT
// Results in block-scaled formats.
#include "block_output.h"

#include <inttypes.h>

#include "core/blocks.h"
#include "core/desc.h"
#include "core/f32_scales.h"
#include "core/launch.h"
#include "core/types.h"

static int element_of(wt_type type) {
  switch (type) {
    case WT_TYPE_F8E5M2:
    case WT_TYPE_F8E5M2_FNUZ: return WT_ROW_BLOCKS_FP8E5M2;
    case WT_TYPE_F6E2M3: return WT_ROW_BLOCKS_FP6E2M3;
    case WT_TYPE_F6E3M2: return WT_ROW_BLOCKS_FP6E3M2;
    case WT_TYPE_F4E2M1: return WT_ROW_BLOCKS_FP4E2M1;
    default: return WT_ROW_BLOCKS_FP8E4M3;
  }
}

static bool is_mx(const wt_block_output *o) { return o->scales == WT_BLOCK_SCALES_E8M0; }

static wt_status check_absent(wt_context *context, const wt_block_output *o) {
  if (!o->scale) return WT_SUCCESS;
  return wt_fail(
      context, WT_ERROR_UNSUPPORTED_TYPE,
      "desc->output.type is 0, but desc->output.scale is %p; pass the type of the elements, or NULL "
      "as scale for a result that is not quantised",
      o->scale);
}

// Only E8M0 scales are shuffled.
static wt_status check_layout(wt_context *context, const wt_block_output *o) {
  if (is_mx(o) && (unsigned)o->layout > WT_SCALES_SHUFFLED)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->output.layout is %d; pass WT_SCALES_BY_ROWS (0) or WT_SCALES_SHUFFLED (1)",
                   (int)o->layout);
  if (is_mx(o) || o->layout == WT_SCALES_BY_ROWS) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE,
                 "desc->output.layout is %d, but F32 scales have strides; pass WT_SCALES_BY_ROWS (0)",
                 (int)o->layout);
}

static wt_status check(wt_context *context, const wt_block_output *o, int64_t columns, int64_t ldy) {
  const wt_scale_choice choice = {"output.", "type", o->type, o->scales, o->rounding, o->scale_block};
  wt_status status = wt_check_scale_choice(context, &choice);
  if (!status) status = check_layout(context, o);
  if (status) return status;
  if (columns % WT_BLOCK_ELEMENTS)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->columns is %" PRId64
                   "; pass a multiple of %d, of whole blocks, as desc->output has "
                   "a type",
                   columns, WT_BLOCK_ELEMENTS);
  if (!ldy) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                 "desc->ldy is %" PRId64
                 ", but y is quantised; pass 0, and the bytes between its rows as "
                 "desc->output.row_bytes",
                 ldy);
}

wt_status wt_block_result_make(wt_context *context, const wt_block_output *o, int64_t rows, int64_t columns,
                               const void *y, int64_t ldy, wt_block_result *out) {
  if (!wt_is_quantized(o)) return check_absent(context, o);
  wt_status status = check(context, o, columns, ldy);
  if (status) return status;
  const int64_t blocks =
      is_mx(o) ? columns / WT_BLOCK_ELEMENTS : wt_divide_up(columns, WT_F32_BLOCK_ELEMENTS);
  const int64_t bytes = is_mx(o) ? columns / WT_BLOCK_ELEMENTS * wt_block_format_of(o->type)->bytes : columns;
  const wt_f32_scales f32 = {"output.scale", "desc->output.scale", o->scale, rows, blocks, 1};
  status = wt_byte_matrix(context, "y", y, rows, bytes, "output.row_bytes", o->row_bytes, &out->y);
  if (!status && is_mx(o))
    status = wt_scale_matrix(context, "desc->output.scale", o->scale, rows, blocks, o->layout,
                             "output.scale_row", o->scale_row, &out->scale);
  else if (!status)
    status = wt_f32_scales_written(context, &f32, o->scale_row, o->scale_block, &out->scale);
  out->y.written = out->scale.written = true;
  out->args = (wt_row_blocks){.q = (unsigned char *)(uintptr_t)y,
                              .scale = o->scale,
                              .q_row_bytes = out->y.axes[0].stride,
                              .scale_row = out->scale.axes[0].stride,
                              .scale_block = out->scale.axes[1].stride,
                              .element = element_of(o->type),
                              .scales = (int)o->scales,
                              .layout = (int)o->layout,
                              .rounding = (int)o->rounding,
                              .rows = (int)rows,
                              .blocks = (int)blocks};
  return status;
}
