// SPDX-License-Identifier: MIT
// Checks the scales of blocks in a grouped descriptor: what they are, and the operands that have them.
#include "grouped_scales.h"

#include <inttypes.h>

#include "core/blocks.h"
#include "core/f32_scales.h"
#include "core/types.h"

// Returns whether A alone has no scales, as it is of BF16 and B in an MX format.
static bool is_widened(const wt_grouped_plan *plan) {
  return plan->scaling == WT_GROUPED_E8M0 && !wt_block_a_has_scales(plan->a.member.type);
}

// Tells the types that are never without scales.
static bool is_packed(wt_type type) {
  const wt_block_format *format = wt_block_format_of(type);
  return format && format->bytes < WT_BLOCK_ELEMENTS;
}

// Refuses an axis of which no scale is for a part of a block.
static wt_status check_whole(wt_context *context, const char *name, int64_t size, int block) {
  if (size % block == 0) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->%s is %" PRId64 "; pass a multiple of %d, of whole blocks, of what is summed over",
                 name, size, block);
}

static wt_status check_f32(wt_context *context, const wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const wt_grouped_member *a = &plan->a.member, *b = &plan->b.member;
  wt_status status = wt_f32_scales_check_type(context, a->type_name, a->type);
  if (!status) status = wt_f32_scales_check_type(context, b->type_name, b->type);
  if (status) return status;
  if (d->scales_of_w != WT_SCALES_OF_B_TILES && d->scales_of_w != WT_SCALES_OF_B_ROWS)
    return wt_fail(context, WT_ERROR_VALUE, "desc->scales_of_w is %d; pass a WT_SCALES_OF_B_* number",
                   (int)d->scales_of_w);
  // Each group begins with a block.
  if (plan->pass != WT_GROUPED_BACKWARD_WEIGHT || d->contract != WT_GROUP_MASKED) return WT_SUCCESS;
  return check_whole(context, "m", d->m, WT_F32_BLOCK_ELEMENTS);
}

static wt_status check_mx_types(wt_context *context, const wt_grouped_member *a, const wt_grouped_member *b) {
  if (!wt_block_a_format_of(a->type))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but with desc->scales WT_BLOCK_SCALES_E8M0 it must be "
                   "WT_TYPE_F8E4M3, WT_TYPE_F8E5M2, WT_TYPE_F6E2M3, WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1, or "
                   "without %s WT_TYPE_BF16",
                   a->type_name, wt_type_name(a->type), (int)a->type, a->scale_member);
  if (wt_blocks_multiply(a->type, b->type)) return WT_SUCCESS;
  const char *partners = a->type == WT_TYPE_F4E2M1        ? "the same"
                         : a->type == WT_TYPE_F8E5M2      ? "WT_TYPE_F8E4M3"
                         : wt_block_a_has_scales(a->type) ? "the same or WT_TYPE_F4E2M1"
                                                          : "WT_TYPE_F4E2M1";
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->%s is %s (%d), but in an MX format with %s %s it must be %s", b->type_name,
                 wt_type_name(b->type), (int)b->type, a->type_name, wt_type_name(a->type), partners);
}

// What F32 scales alone can have.
static wt_status check_mx_members(wt_context *context, const wt_grouped_plan *plan) {
  const wt_grouped_member *a = &plan->a.member, *b = &plan->b.member;
  const struct {
    const char *name;
    bool set;
  } of_f32[] = {{"scales_of_w", plan->desc.scales_of_w != WT_SCALES_OF_B_TILES},
                {a->scale_block_name, a->scale_block != 0},
                {b->scale_block_name, b->scale_block != 0}};
  for (size_t i = 0; i < sizeof of_f32 / sizeof *of_f32; ++i)
    if (of_f32[i].set)
      return wt_fail(context, WT_ERROR_VALUE,
                     "desc->%s is set, but E8M0 scales belong to 32 elements of a row and follow each other; "
                     "leave it at 0, or pass desc->scales WT_BLOCK_SCALES_F32",
                     of_f32[i].name);
  return WT_SUCCESS;
}

static wt_status check_mx(wt_context *context, const wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  wt_status status =
      wt_check_blocks_target(context, "MFMA with block scales; pass desc->scales WT_BLOCK_SCALES_F32");
  if (!status) status = check_mx_types(context, &plan->a.member, &plan->b.member);
  if (!status) status = check_mx_members(context, plan);
  if (status) return status;
  switch (plan->pass) {
    case WT_GROUPED_FORWARD: return check_whole(context, "k", d->k, WT_BLOCK_ELEMENTS);
    case WT_GROUPED_BACKWARD_INPUT: return check_whole(context, "n", d->n, WT_BLOCK_ELEMENTS);
    case WT_GROUPED_BACKWARD_WEIGHT: break;
  }
  return check_whole(context, "m", d->m, WT_BLOCK_ELEMENTS);
}

// Sets plan->scaling where there are scales of blocks.
static wt_status check_kind(wt_context *context, wt_grouped_plan *plan) {
  switch (plan->desc.scales) {
    case WT_BLOCK_SCALES_E8M0: plan->scaling = WT_GROUPED_E8M0; return WT_SUCCESS;
    case WT_BLOCK_SCALES_F32:
    case WT_BLOCK_SCALES_POWER_OF_TWO: plan->scaling = WT_GROUPED_F32; return WT_SUCCESS;
  }
  return wt_fail(context, WT_ERROR_VALUE, "desc->scales is %d; pass a WT_BLOCK_SCALES_* number",
                 (int)plan->desc.scales);
}

wt_status wt_grouped_check_scales(wt_context *context, wt_grouped_plan *plan) {
  const wt_grouped_member *a = &plan->a.member, *b = &plan->b.member, *c = &plan->c.member;
  if (c->scale)
    return wt_fail(context, WT_ERROR_VALUE,
                   "%s is set, but %s is the result and has no scales; leave it at NULL", c->scale_name,
                   c->name);
  if (!a->scale && !b->scale) {
    if (!is_packed(a->type) && !is_packed(b->type)) return WT_SUCCESS;
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "%s is NULL, but %s is a type of MX formats; pass scales of both %s and %s", a->scale_name,
                   wt_type_name(is_packed(a->type) ? a->type : b->type), a->name, b->name);
  }
  wt_status status = check_kind(context, plan);
  if (status) return status;
  if (is_widened(plan) && a->scale)
    return wt_fail(context, WT_ERROR_VALUE, "%s is set, but %s of type %s has no scales; leave it at NULL",
                   a->scale_name, a->name, wt_type_name(a->type));
  if (!b->scale || (!a->scale && !is_widened(plan)))
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "%s is NULL, but %s is set; pass scales of both %s and %s, or of neither",
                   a->scale ? b->scale_name : a->scale_name, a->scale ? a->scale_name : b->scale_name,
                   a->name, b->name);
  return plan->scaling == WT_GROUPED_E8M0 ? check_mx(context, plan) : check_f32(context, plan);
}

// ---- operands

wt_status wt_grouped_packed_matrix(wt_context *context, const wt_grouped_member *of, const void *pointer,
                                   wt_grouped_size size, wt_operand *out) {
  const int64_t bytes = wt_block_a_format_of(of->type)->bytes, ld = of->ld;
  const bool packed = wt_block_a_has_scales(of->type);
  if (!packed && ld && ld < size.columns)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 ", but %s has rows of %" PRId64
                   " elements; pass at least that, or 0 for packed rows",
                   of->ld_name, ld, of->name, size.columns);
  if (packed && ld && (ld < size.columns || ld % WT_BLOCK_ELEMENTS))
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 ", but %s is in an MX format with rows of %" PRId64
                   " elements; pass at least that and a multiple of %d, or 0 for packed rows",
                   of->ld_name, ld, of->name, size.columns, WT_BLOCK_ELEMENTS);
  return wt_byte_matrix(context, of->name, pointer, size.rows, size.columns / WT_BLOCK_ELEMENTS * bytes,
                        of->ld_name,
                        packed ? ld / WT_BLOCK_ELEMENTS * bytes : ld * (int64_t)wt_type_size(of->type), out);
}

static wt_status make_f32(wt_context *context, wt_grouped_plan *plan, const wt_grouped_shape *s) {
  const wt_grouped_member *a = &plan->a.member, *b = &plan->b.member;
  const int64_t blocks = wt_divide_up(s->a.columns, WT_F32_BLOCK_ELEMENTS);
  const int64_t b_rows = plan->desc.scales_of_w == WT_SCALES_OF_B_ROWS
                             ? s->b.rows
                             : wt_divide_up(s->b.rows, WT_F32_BLOCK_ELEMENTS);
  const wt_f32_scales of_a = {a->scale_member, a->scale_name, a->scale, s->a.rows, blocks, 1};
  const wt_f32_scales of_b = {b->scale_member, b->scale_name, b->scale, b_rows, blocks, s->b_groups};
  const int64_t group = plan->pass == WT_GROUPED_BACKWARD_WEIGHT ? 0 : plan->desc.w_scale_group;
  wt_status status = wt_f32_scales_operand(context, &of_a, a->scale_row, a->scale_block, 0, &plan->a_scale);
  if (!status)
    status = wt_f32_scales_operand(context, &of_b, b->scale_row, b->scale_block, group, &plan->b_scale);
  return status;
}

static wt_status make_e8m0(wt_context *context, wt_grouped_plan *plan, const wt_grouped_shape *s) {
  const wt_grouped_member *a = &plan->a.member, *b = &plan->b.member;
  const int64_t blocks = s->a.columns / WT_BLOCK_ELEMENTS;
  wt_status status = WT_SUCCESS;
  if (!is_widened(plan))
    status = wt_byte_matrix(context, a->scale_name, a->scale, s->a.rows, blocks, a->scale_row_name,
                            a->scale_row, &plan->a_scale);
  if (!status)
    status = wt_byte_matrix(context, b->scale_name, b->scale, s->b.rows, blocks, b->scale_row_name,
                            b->scale_row, &plan->b_scale);
  if (status) return status;
  int64_t group = plan->pass == WT_GROUPED_BACKWARD_WEIGHT ? 0 : plan->desc.w_scale_group;
  if (!group && __builtin_mul_overflow(s->b.rows, plan->b_scale.axes[0].stride, &group)) group = INT64_MAX;
  return wt_operand_batch(context, &plan->b_scale, s->b_groups, "w_scale_group", group);
}

wt_status wt_grouped_make_scales(wt_context *context, wt_grouped_plan *plan) {
  const wt_grouped_shape shape = wt_grouped_shape_of(plan);
  return plan->scaling == WT_GROUPED_E8M0 ? make_e8m0(context, plan, &shape)
                                          : make_f32(context, plan, &shape);
}
