// SPDX-License-Identifier: MIT
// Implements the MX formats, and matrices that are given in bytes.
#include "blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc.h"
#include "launch.h"
#include "types.h"

static const wt_block_format formats[] = {{WT_TYPE_F8E4M3, "fp8e4m3", 32},
                                          {WT_TYPE_F8E5M2, "fp8e5m2", 32},
                                          {WT_TYPE_F6E2M3, "fp6e2m3", 24},
                                          {WT_TYPE_F6E3M2, "fp6e3m2", 24},
                                          {WT_TYPE_F4E2M1, "fp4e2m1", 16}};

const wt_block_format *wt_block_format_of(wt_type type) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (formats[i].type == type) return &formats[i];
  return NULL;
}

bool wt_block_a_has_scales(wt_type type) { return type != WT_TYPE_BF16; }

const wt_block_format *wt_block_a_format_of(wt_type type) {
  static const wt_block_format bf16 = {WT_TYPE_BF16, "bf16", 2 * (int64_t)WT_BLOCK_ELEMENTS};
  return wt_block_a_has_scales(type) ? wt_block_format_of(type) : &bf16;
}

bool wt_blocks_multiply(wt_type a, wt_type b) {
  if (!wt_block_a_has_scales(a)) return b == WT_TYPE_F4E2M1;
  if (a == WT_TYPE_F8E5M2) return b == WT_TYPE_F8E4M3;
  return wt_block_format_of(a) && (a == b || b == WT_TYPE_F4E2M1);
}

// This is kMxStep of kernels/gemm_mx/gemm_mx_scales.h: two matrices of 4 bits have twice as many as others.
int64_t wt_blocks_step(const wt_block_format *a, const wt_block_format *b) {
  enum { STEP = 128, FOUR_BITS = WT_BLOCK_ELEMENTS / 2 };  // bytes of a block
  return a->bytes == FOUR_BITS && b->bytes == FOUR_BITS ? 2 * STEP : STEP;
}

// Formats of 4 and 6 bits take half the time of 8 bits (CDNA 4 ISA 7.1).
double wt_blocks_macs(const wt_context *context, const wt_block_format *a, const wt_block_format *b) {
  if (!wt_block_a_has_scales(a->type)) return context->target->macs_16;
  const bool is_wide = a->bytes == WT_BLOCK_ELEMENTS || b->bytes == WT_BLOCK_ELEMENTS;
  return context->target->macs_8 * (is_wide ? 1 : 2);
}

wt_status wt_check_blocks_target(wt_context *context, const char *instead) {
  if (strcmp(context->target->name, "gfx950") == 0) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TARGET,
                 "the MX formats need gfx950, but the device is %s, which has no %s", context->target->name,
                 instead);
}

static wt_status check_e8m0(wt_context *context, const wt_scale_choice *c) {
  char text[96];
  snprintf(text, sizeof text, "E8M0 scales; pass WT_BLOCK_SCALES_F32 (1) as desc->%sscales", c->prefix);
  const wt_status status = wt_check_blocks_target(context, text);
  if (status) return status;
  if (!wt_block_format_of(c->type))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s%s is %s (%d), but with E8M0 scales it must be WT_TYPE_F8E4M3, WT_TYPE_F8E5M2, "
                   "WT_TYPE_F6E2M3, WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1",
                   c->prefix, c->type_name, wt_type_name(c->type), (int)c->type);
  if (c->scale_block)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->%sscale_block is %" PRId64 ", but E8M0 scales of a row follow each other; pass 0",
                   c->prefix, c->scale_block);
  snprintf(text, sizeof text, "%srounding", c->prefix);
  return wt_check_scale_rounding(context, text, c->rounding);
}

static wt_status check_f32(wt_context *context, const wt_scale_choice *c) {
  char name[32];
  snprintf(name, sizeof name, "%s%s", c->prefix, c->type_name);
  const wt_status status = wt_check_fp8_type(context, name, c->type);
  if (status || c->rounding == WT_SCALE_UP) return status;
  return wt_fail(context, WT_ERROR_VALUE,
                 "desc->%srounding is %d, but F32 scales are chosen in one way; pass WT_SCALE_UP (0)",
                 c->prefix, (int)c->rounding);
}

wt_status wt_check_scale_choice(wt_context *context, const wt_scale_choice *c) {
  if ((unsigned)c->scales > WT_BLOCK_SCALES_POWER_OF_TWO)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->%sscales is %d; pass WT_BLOCK_SCALES_E8M0 (0), WT_BLOCK_SCALES_F32 (1) or "
                   "WT_BLOCK_SCALES_POWER_OF_TWO (2)",
                   c->prefix, (int)c->scales);
  return c->scales == WT_BLOCK_SCALES_E8M0 ? check_e8m0(context, c) : check_f32(context, c);
}

wt_status wt_byte_matrix(wt_context *context, const char *name, const void *pointer, int64_t rows,
                         int64_t bytes, const char *pitch_name, int64_t pitch, wt_operand *out) {
  if (pitch == 0) pitch = bytes;
  if (pitch < bytes)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 ", but a row of %s has %" PRId64
                   " bytes; pass at least that, or 0 for packed rows",
                   pitch_name, pitch, name, bytes);
  *out = (wt_operand){
      .name = name, .pointer = pointer, .element = 1, .alignment = 1, .axes = {{rows, pitch}, {bytes, 1}}};
  if (wt_operand_span(out)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->%s is %" PRId64 ", so that %s spans more than 2^63 bytes; pass a smaller one",
                 pitch_name, pitch, name);
}

wt_status wt_scale_matrix(wt_context *context, const char *name, const void *pointer, int64_t rows,
                          int64_t blocks, wt_scale_layout layout, const char *pitch_name, int64_t pitch,
                          wt_operand *out) {
  enum { ALIGNMENT = 16 };  // of what a lane copies at once
  if (layout == WT_SCALES_BY_ROWS)
    return wt_byte_matrix(context, name, pointer, rows, blocks, pitch_name, pitch, out);
  if (pitch % ALIGNMENT)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 "; pass a multiple of %d, or 0 for packed groups", pitch_name,
                   pitch, ALIGNMENT);
  const wt_status status = wt_byte_matrix(
      context, name, pointer, wt_divide_up(rows, WT_SHUFFLED_SCALE_ROWS),
      wt_divide_up(blocks, WT_SHUFFLED_SCALE_BLOCKS) * WT_SHUFFLED_SCALE_BYTES, pitch_name, pitch, out);
  out->alignment = ALIGNMENT;
  return status;
}

wt_status wt_shuffled_weight_matrix(wt_context *context, const char *name, const void *pointer,
                                    const char *rows_name, int64_t rows, const char *bytes_name,
                                    int64_t bytes, const char *pitch_name, int64_t pitch, wt_operand *out) {
  enum { UNIT = WT_SHUFFLED_WEIGHT_BYTES };
  if (rows % WT_SHUFFLED_WEIGHT_ROWS)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->%s is %" PRId64
                   "; pass a multiple of %d, as so many rows of shuffled weights lie "
                   "together",
                   rows_name, rows, WT_SHUFFLED_WEIGHT_ROWS);
  if (bytes % UNIT)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->%s makes rows of %" PRId64 " bytes; shuffled weights need a multiple of %d",
                   bytes_name, bytes, UNIT);
  if (pitch % UNIT)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 "; pass a multiple of %d, or 0 for packed rows", pitch_name, pitch,
                   UNIT);
  // Rows of the layout have 16 of the matrix.
  const int64_t together = WT_SHUFFLED_WEIGHT_ROWS;
  wt_status status = wt_byte_matrix(context, name, pointer, rows, bytes, pitch_name, pitch, out);
  if (status) return status;
  out->axes[0].count = rows / together;
  out->axes[1].count = bytes * together;
  out->alignment = UNIT;
  if (!__builtin_mul_overflow(out->axes[0].stride, together, &out->axes[0].stride) && wt_operand_span(out))
    return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->%s is %" PRId64
                 ", so that 16 rows of %s span more than 2^63 bytes; pass a smaller one",
                 pitch_name, pitch, name);
}
