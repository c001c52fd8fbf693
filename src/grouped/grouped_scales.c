// SPDX-License-Identifier: MIT
// Scales of blocks in a grouped descriptor: what they are, and the operands that have them.
#include "grouped_scales.h"

#include <inttypes.h>

#include "core/blocks.h"
#include "core/f32_scales.h"
#include "core/scaled.h"
#include "core/types.h"

bool wt_grouped_has_scales(const wt_grouped_desc *d) { return d->w_scale != NULL; }

bool wt_grouped_is_mx(const wt_grouped_desc *d) {
  return wt_grouped_has_scales(d) && d->scales == WT_BLOCK_SCALES_E8M0;
}

// Whether x alone has no scales, as it is of BF16 and w in an MX format.
static bool is_widened(const wt_grouped_desc *d) {
  return wt_grouped_is_mx(d) && !wt_block_a_has_scales(d->type_x);
}

// Types that are never without scales.
static bool is_packed(wt_type type) {
  const wt_block_format *format = wt_block_format_of(type);
  return format && format->bytes < WT_BLOCK_ELEMENTS;
}

static wt_status check_f32(wt_context *context, const wt_grouped_desc *d) {
  wt_status status = wt_scaled_check_f8(context, "type_x", d->type_x);
  if (!status) status = wt_scaled_check_f8(context, "type_w", d->type_w);
  if (status) return status;
  if (d->scales_of_w == WT_SCALES_OF_B_TILES || d->scales_of_w == WT_SCALES_OF_B_ROWS) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE, "desc->scales_of_w is %d; pass a WT_SCALES_OF_B_* number",
                 (int)d->scales_of_w);
}

static wt_status check_mx_types(wt_context *context, const wt_grouped_desc *d) {
  const wt_type x = d->type_x, w = d->type_w;
  if (!wt_blocks_multiply(x, WT_TYPE_F4E2M1))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_x is %s (%d), but with desc->scales WT_BLOCK_SCALES_E8M0 it must be "
                   "WT_TYPE_F8E4M3, WT_TYPE_F6E2M3, WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1, or without x_scale "
                   "WT_TYPE_BF16",
                   wt_type_name(x), (int)x);
  if (wt_blocks_multiply(x, w)) return WT_SUCCESS;
  const char *partners = x == WT_TYPE_F4E2M1        ? "the same"
                         : wt_block_a_has_scales(x) ? "the same or WT_TYPE_F4E2M1"
                                                    : "WT_TYPE_F4E2M1";
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->type_w is %s (%d), but in an MX format with type_x %s it must be %s", wt_type_name(w),
                 (int)w, wt_type_name(x), partners);
}

// What F32 scales alone can have.
static wt_status check_mx_members(wt_context *context, const wt_grouped_desc *d) {
  const struct {
    const char *name;
    bool set;
  } of_f32[] = {{"scales_of_w", d->scales_of_w != WT_SCALES_OF_B_TILES},
                {"x_scale_block", d->x_scale_block != 0},
                {"w_scale_block", d->w_scale_block != 0}};
  for (size_t i = 0; i < sizeof of_f32 / sizeof *of_f32; ++i)
    if (of_f32[i].set)
      return wt_fail(context, WT_ERROR_VALUE,
                     "desc->%s is set, but E8M0 scales belong to 32 elements of a row and follow each other; "
                     "leave it at 0, or pass desc->scales WT_BLOCK_SCALES_F32",
                     of_f32[i].name);
  return WT_SUCCESS;
}

static wt_status check_mx(wt_context *context, const wt_grouped_desc *d) {
  wt_status status =
      wt_check_blocks_target(context, "MFMA with block scales; pass desc->scales WT_BLOCK_SCALES_F32");
  if (!status) status = check_mx_types(context, d);
  if (!status) status = check_mx_members(context, d);
  if (status || d->k % WT_BLOCK_ELEMENTS == 0) return status;
  return wt_fail(context, WT_ERROR_SIZE, "desc->k is %" PRId64 "; pass a multiple of %d, of whole blocks",
                 d->k, WT_BLOCK_ELEMENTS);
}

wt_status wt_grouped_check_scales(wt_context *context, const wt_grouped_desc *d, wt_grouped_pass pass) {
  if (!d->x_scale && !d->w_scale) {
    if (pass != WT_GROUPED_FORWARD || (!is_packed(d->type_x) && !is_packed(d->type_w))) return WT_SUCCESS;
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->x_scale is NULL, but %s is a type of MX formats; pass scales of both x and w",
                   wt_type_name(is_packed(d->type_x) ? d->type_x : d->type_w));
  }
  if (is_widened(d) && d->x_scale)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->x_scale is set, but x of type %s has no scales; leave it at NULL",
                   wt_type_name(d->type_x));
  if (!d->w_scale || (!d->x_scale && !is_widened(d)))
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->%s is NULL, but desc->%s is set; pass scales of both x and w, or of neither",
                   d->x_scale ? "w_scale" : "x_scale", d->x_scale ? "x_scale" : "w_scale");
  if (pass != WT_GROUPED_FORWARD)
    return wt_fail(
        context, WT_ERROR_VALUE,
        "desc->w_scale is set, but gradients take no scales of blocks; leave x_scale and w_scale at "
        "NULL, and pass matrices that have been multiplied with them");
  switch (d->scales) {
    case WT_BLOCK_SCALES_E8M0: return check_mx(context, d);
    case WT_BLOCK_SCALES_F32:
    case WT_BLOCK_SCALES_POWER_OF_TWO: return check_f32(context, d);
  }
  return wt_fail(context, WT_ERROR_VALUE, "desc->scales is %d; pass a WT_BLOCK_SCALES_* number",
                 (int)d->scales);
}

// ---- operands

wt_status wt_grouped_packed_matrix(wt_context *context, const char *name, const void *pointer, wt_type type,
                                   int64_t rows, int64_t columns, const char *ld_name, int64_t ld,
                                   wt_operand *out) {
  const int64_t bytes = wt_block_a_format_of(type)->bytes;
  const bool packed = wt_block_a_has_scales(type);
  if (!packed && ld && ld < columns)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 ", but %s has rows of %" PRId64
                   " elements; pass at least that, or 0 for packed rows",
                   ld_name, ld, name, columns);
  if (packed && ld && (ld < columns || ld % WT_BLOCK_ELEMENTS))
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 ", but %s is in an MX format with rows of %" PRId64
                   " elements; pass at least that and a multiple of %d, or 0 for packed rows",
                   ld_name, ld, name, columns, WT_BLOCK_ELEMENTS);
  return wt_byte_matrix(context, name, pointer, rows, columns / WT_BLOCK_ELEMENTS * bytes, ld_name,
                        packed ? ld / WT_BLOCK_ELEMENTS * bytes : ld * (int64_t)wt_type_size(type), out);
}

static wt_status make_f32(wt_context *context, wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const int64_t blocks = wt_divide_up(d->k, WT_F32_BLOCK_ELEMENTS);
  const int64_t rows =
      d->scales_of_w == WT_SCALES_OF_B_ROWS ? d->n : wt_divide_up(d->n, WT_F32_BLOCK_ELEMENTS);
  const wt_f32_scales x = {"x_scale", "desc->x_scale", d->x_scale, plan->rows, blocks, 1};
  const wt_f32_scales w = {"w_scale", "desc->w_scale", d->w_scale, rows, blocks, d->groups};
  wt_status status = wt_f32_scales_operand(context, &x, d->x_scale_row, d->x_scale_block, 0, &plan->x_scale);
  if (!status)
    status = wt_f32_scales_operand(context, &w, d->w_scale_row, d->w_scale_block, d->w_scale_group,
                                   &plan->w_scale);
  return status;
}

static wt_status make_e8m0(wt_context *context, wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const int64_t blocks = d->k / WT_BLOCK_ELEMENTS;
  wt_operand *const x = &plan->x_scale, *const w = &plan->w_scale;
  wt_status status = WT_SUCCESS;
  if (!is_widened(d))
    status = wt_byte_matrix(context, "desc->x_scale", d->x_scale, plan->rows, blocks, "x_scale_row",
                            d->x_scale_row, x);
  if (!status)
    status =
        wt_byte_matrix(context, "desc->w_scale", d->w_scale, d->n, blocks, "w_scale_row", d->w_scale_row, w);
  if (status) return status;
  int64_t group = d->w_scale_group;
  if (!group && __builtin_mul_overflow(d->n, w->axes[0].stride, &group)) group = INT64_MAX;
  return wt_operand_batch(context, w, d->groups, "w_scale_group", group);
}

wt_status wt_grouped_make_scales(wt_context *context, wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  if (!wt_grouped_has_scales(d)) return WT_SUCCESS;
  return wt_grouped_is_mx(d) ? make_e8m0(context, plan) : make_f32(context, plan);
}
