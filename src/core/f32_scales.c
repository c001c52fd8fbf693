// SPDX-License-Identifier: MIT
// Strides of F32 scales, checked.
#include "f32_scales.h"

#include <inttypes.h>

#include "types.h"

// Returns the larger of two spans of a group; a negative number where one is more than 63 bits.
static int64_t larger_span(int64_t rows, int64_t row, int64_t blocks, int64_t block) {
  int64_t by_rows, by_blocks;
  if (__builtin_mul_overflow(rows, row, &by_rows) || __builtin_mul_overflow(blocks, block, &by_blocks))
    return -1;
  return by_rows > by_blocks ? by_rows : by_blocks;
}

wt_status wt_f32_scales_operand(wt_context *context, const wt_f32_scales *scales, int64_t row, int64_t block,
                                int64_t group, wt_operand *out) {
  const char *member = scales->member;
  if (!row && !block) row = scales->blocks, block = 1;
  if (row < 1 || block < 1)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->%s_row is %" PRId64 " and %s_block %" PRId64
                   "; pass two strides from 1, or 0 and 0 for packed rows",
                   member, row, member, block);
  if (group < 0)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->%s_group is %" PRId64 "; pass a stride from 1, or 0 for groups without gaps",
                   member, group);
  if (!group) group = larger_span(scales->rows, row, scales->blocks, block);
  *out = (wt_operand){.name = scales->name,
                      .pointer = scales->pointer,
                      .element_bytes = sizeof(float),
                      .alignment = sizeof(float),
                      .axes = {{scales->rows, row}, {scales->blocks, block}, {scales->groups, group}}};
  if (group >= 0 && wt_operand_span(out)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->%s_row is %" PRId64 " and %s_block %" PRId64
                 ", so that %s spans more than 2^63 bytes; pass smaller ones",
                 member, row, member, block, scales->name);
}

wt_status wt_f32_scales_written(wt_context *context, const wt_f32_scales *scales, int64_t row, int64_t block,
                                wt_operand *out) {
  const wt_status status = wt_f32_scales_operand(context, scales, row, block, 0, out);
  if (status) return status;
  out->written = true;
  if (wt_operand_is_injective(out)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_STRIDE,
                 "desc->%s_row is %" PRId64 " and %s_block %" PRId64
                 ", so that two scales are in one place; pass strides that step over %" PRId64
                 " rows or %" PRId64 " blocks",
                 scales->member, row, scales->member, block, scales->rows, scales->blocks);
}

int64_t wt_f32_scales_step_bytes(const wt_operand *scales, int axis) {
  return scales->axes[axis].count > 1 ? scales->axes[axis].stride * (int64_t)sizeof(float) : 0;
}

wt_status wt_f32_scales_check_type(wt_context *context, const char *name, wt_type type) {
  const wt_type e4m3 = context->target->ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  if (type == e4m3) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->%s is %s (%d), but with scales for blocks of 128 it must be %s on %s", name,
                 wt_type_name(type), (int)type, wt_type_name(e4m3), context->target->name);
}
