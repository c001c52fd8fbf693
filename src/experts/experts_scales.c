// SPDX-License-Identifier: MIT
// Checks the format of a layer's weights, and says how much memory it takes.
#include "experts_scales.h"

#include <inttypes.h>

#include "core/blocks.h"
#include "core/desc.h"
#include "core/f32_scales.h"
#include "core/launch.h"
#include "core/types.h"

// Rows of scales are dispatched in pieces of 16 bits.
enum { E8M0_COLUMNS = 2 * WT_BLOCK_ELEMENTS };

experts_format experts_format_of(const wt_experts_desc *d) {
  if (!d->type_w) return EXPERTS_PLAIN;
  return d->scales == WT_BLOCK_SCALES_E8M0 ? EXPERTS_MX : EXPERTS_F32_SCALES;
}

bool experts_quantizes(const wt_experts_desc *d) { return d->type_w && wt_block_a_has_scales(d->type_q); }

static wt_status check_plain(wt_context *context, const wt_experts_desc *d) {
  const struct {
    const char *name;
    bool set;
  } members[] = {{"type_q", d->type_q != 0},
                 {"scales", d->scales != WT_BLOCK_SCALES_E8M0},
                 {"rounding", d->rounding != WT_SCALE_UP},
                 {"scales_of_w", d->scales_of_w != WT_SCALES_OF_B_TILES},
                 {"gate_up_scale", d->gate_up_scale != NULL},
                 {"down_scale", d->down_scale != NULL},
                 {"shared_gate_up_scale", d->shared_gate_up_scale != NULL},
                 {"shared_down_scale", d->shared_down_scale != NULL}};
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
    if (members[i].set)
      return wt_fail(
          context, WT_ERROR_VALUE,
          "desc->%s is set, but desc->type_w is 0, so that weights have no scales; pass the type of "
          "the weights, or leave it at its default",
          members[i].name);
  return WT_SUCCESS;
}

static wt_status check_pointers(wt_context *context, const wt_experts_desc *d) {
  const struct {
    const char *name;
    const void *scale;
    bool needed;
  } members[] = {{"gate_up_scale", d->gate_up_scale, true},
                 {"down_scale", d->down_scale, true},
                 {"shared_gate_up_scale", d->shared_gate_up_scale, d->shared_inner != 0},
                 {"shared_down_scale", d->shared_down_scale, d->shared_inner != 0}};
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
    if (members[i].needed && !members[i].scale)
      return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                     "desc->%s is NULL, but desc->type_w is %s; pass the scales of the weights",
                     members[i].name, wt_type_name(d->type_w));
    if (!members[i].needed && members[i].scale)
      return wt_fail(context, WT_ERROR_VALUE,
                     "desc->%s is set, but there is no shared network; leave it at NULL", members[i].name);
  }
  return WT_SUCCESS;
}

static wt_status check_multiple(wt_context *context, const char *name, int64_t size, int multiple) {
  if (size % multiple == 0) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->%s is %" PRId64 "; with weights in a block-scaled format pass a multiple of %d", name,
                 size, multiple);
}

static wt_status check_f32(wt_context *context, const wt_experts_desc *d) {
  wt_status status = wt_f32_scales_check_type(context, "type_w", d->type_w);
  if (!status) status = wt_f32_scales_check_type(context, "type_q", d->type_q);
  if (!status && d->scales_of_w != WT_SCALES_OF_B_TILES && d->scales_of_w != WT_SCALES_OF_B_ROWS)
    status = wt_fail(context, WT_ERROR_VALUE, "desc->scales_of_w is %d; pass a WT_SCALES_OF_B_* number",
                     (int)d->scales_of_w);
  if (!status && d->rounding != WT_SCALE_UP)
    status = wt_fail(context, WT_ERROR_VALUE,
                     "desc->rounding is %d, but F32 scales are chosen in one way; pass WT_SCALE_UP (0)",
                     (int)d->rounding);
  return status;
}

// Checks what goes with tokens that are not quantised.
static wt_status check_as_it_is(wt_context *context, const wt_experts_desc *d) {
  if (d->type != d->type_q)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_q is %s, but desc->type is %s; pass the same type for both, or another type_q",
                   wt_type_name(d->type_q), wt_type_name(d->type));
  if (d->rounding == WT_SCALE_UP) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE,
                 "desc->rounding is %d, but with type_q %s nothing is quantised; pass WT_SCALE_UP (0)",
                 (int)d->rounding, wt_type_name(d->type_q));
}

static wt_status check_mx(wt_context *context, const wt_experts_desc *d) {
  wt_status status =
      wt_check_blocks_target(context, "MFMA with block scales; pass desc->scales WT_BLOCK_SCALES_F32");
  if (!status && !wt_blocks_multiply(d->type_w, d->type_w))
    status = wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                     "desc->type_w is %s (%d), but with desc->scales WT_BLOCK_SCALES_E8M0 it must be "
                     "WT_TYPE_F8E4M3, WT_TYPE_F6E2M3, WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1",
                     wt_type_name(d->type_w), (int)d->type_w);
  const bool is_gradient = d->type_q == WT_TYPE_F8E5M2;  // which no token is
  if (!status && (is_gradient || !wt_blocks_multiply(d->type_q, d->type_w)))
    status = wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_q is %s (%d), but with type_w %s it must be %s",
        wt_type_name(d->type_q), (int)d->type_q, wt_type_name(d->type_w),
        d->type_w == WT_TYPE_F4E2M1 ? "WT_TYPE_F8E4M3, a type of 6 or 4 bits, or WT_TYPE_BF16" : "the same");
  if (!status && !experts_quantizes(d)) status = check_as_it_is(context, d);
  if (!status) status = wt_check_scale_rounding(context, "rounding", d->rounding);
  if (!status && d->scales_of_w != WT_SCALES_OF_B_TILES)
    status =
        wt_fail(context, WT_ERROR_VALUE,
                "desc->scales_of_w is set, but E8M0 scales belong to 32 elements of a row; leave it at 0, "
                "or pass desc->scales WT_BLOCK_SCALES_F32");
  return status;
}

wt_status experts_check_scales(wt_context *context, wt_experts_desc *d) {
  if (!d->type_w) return check_plain(context, d);
  if (!d->type_q) d->type_q = d->type_w;
  wt_status status;
  switch (d->scales) {
    case WT_BLOCK_SCALES_E8M0: status = check_mx(context, d); break;
    case WT_BLOCK_SCALES_F32:
    case WT_BLOCK_SCALES_POWER_OF_TWO: status = check_f32(context, d); break;
    default:
      return wt_fail(context, WT_ERROR_VALUE, "desc->scales is %d; pass a WT_BLOCK_SCALES_* number",
                     (int)d->scales);
  }
  const bool has_e8m0 = d->scales == WT_BLOCK_SCALES_E8M0 && experts_quantizes(d);
  if (!status)
    status = check_multiple(context, "hidden", d->hidden, has_e8m0 ? (int)E8M0_COLUMNS : WT_BLOCK_ELEMENTS);
  if (!status) status = check_multiple(context, "inner", d->inner, WT_BLOCK_ELEMENTS);
  if (!status) status = check_multiple(context, "shared_inner", d->shared_inner, WT_BLOCK_ELEMENTS);
  return status ? status : check_pointers(context, d);
}

int64_t experts_row_bytes(wt_type type, int64_t elements) {
  const wt_block_format *format = wt_block_format_of(type);
  return format ? elements / WT_BLOCK_ELEMENTS * format->bytes : elements * (int64_t)wt_type_size(type);
}

static int64_t scales_of(const wt_experts_desc *d, int64_t elements) {
  return experts_format_of(d) == EXPERTS_MX ? elements / WT_BLOCK_ELEMENTS
                                            : wt_divide_up(elements, WT_F32_BLOCK_ELEMENTS);
}

static size_t scale_size(const wt_experts_desc *d) {
  return experts_format_of(d) == EXPERTS_MX ? 1 : sizeof(float);
}

int64_t experts_scale_bytes(const wt_experts_desc *d, int64_t elements) {
  return scales_of(d, elements) * (int64_t)scale_size(d);
}

wt_operand experts_scale_operand(const wt_experts_desc *d, const char *name, const void *pointer,
                                 int64_t matrices, int64_t rows, int64_t elements) {
  const bool tiles = experts_format_of(d) == EXPERTS_F32_SCALES && d->scales_of_w == WT_SCALES_OF_B_TILES;
  const int64_t lines = tiles ? wt_divide_up(rows, WT_F32_BLOCK_ELEMENTS) : rows;
  const size_t size = scale_size(d);
  return wt_operand_vector(name, pointer, size, size, matrices * lines * scales_of(d, elements));
}

wt_block_output experts_output(const wt_experts_desc *d, void *scale) {
  return (wt_block_output){.type = d->type_q, .scales = d->scales, .rounding = d->rounding, .scale = scale};
}
