// SPDX-License-Identifier: MIT
// wt_quantize_blocks and wt_dequantize_blocks refuse every kind of wrong argument with its own status and a
// sentence that names argument and value; nothing is launched and no memory changes.
#include "refusal.h"

enum { ROWS = 5, COLUMNS = 64 };

typedef struct block_call {
  wt_block_scale_desc desc;
  void *x, *q, *scale;
} block_call;

static wt_status quantize(const void *arguments) {
  const block_call *c = arguments;
  return wt_quantize_blocks(refusal_context, &c->desc, c->x, c->q, c->scale, NULL);
}

static wt_status dequantize(const void *arguments) {
  const block_call *c = arguments;
  return wt_dequantize_blocks(refusal_context, &c->desc, c->q, c->scale, c->x, NULL);
}

// Returns parts of the arena, 2 KB apart, and where it ends.
static void *part(int i) { return refusal_arena + i * 2048; }
static char *arena_end(void) { return (char *)refusal_arena + REFUSAL_BYTES; }

static block_call good_call(void) {
  block_call good = {.desc = WT_BLOCK_SCALE_DESC_INIT, .x = part(0), .q = part(2), .scale = part(4)};
  good.desc.rows = ROWS, good.desc.columns = COLUMNS;
  good.desc.type_x = WT_TYPE_BF16, good.desc.type_q = WT_TYPE_F6E2M3;
  return good;
}

static void test_gfx950(void) {
  block_call good = good_call();
  REFUSED(quantize, good, desc.struct_size = 1, WT_ERROR_STRUCT_SIZE, "struct_size is 1",
          "WT_BLOCK_SCALE_DESC_INIT");
  REFUSED(quantize, good, desc.rows = 0, WT_ERROR_SIZE, "desc->rows is 0");
  REFUSED(quantize, good, desc.columns = -32, WT_ERROR_SIZE, "desc->columns is -32");
  REFUSED(quantize, good, desc.columns = 63, WT_ERROR_SIZE, "desc->columns is 63", "multiple of 32");
  REFUSED(quantize, good, desc.along = WT_BLOCKS_ALONG_COLUMNS, WT_ERROR_SIZE, "desc->rows is 5",
          "multiple of 32");
  REFUSED(quantize, good, desc.along = (wt_block_axis)2, WT_ERROR_VALUE, "desc->along is 2", "(1)");
  REFUSED(quantize, good, desc.along = (wt_block_axis)-1, WT_ERROR_VALUE, "desc->along is -1");
  REFUSED(quantize, good, desc.rounding = (wt_scale_rounding)4, WT_ERROR_VALUE, "desc->rounding is 4");
  REFUSED(quantize, good, desc.rounding = (wt_scale_rounding)-1, WT_ERROR_VALUE, "desc->rounding is -1");
  REFUSED(quantize, good, desc.type_x = WT_TYPE_F4E2M1, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_x is WT_TYPE_F4E2M1");
  REFUSED(quantize, good, desc.type_q = WT_TYPE_F8E4M3_FNUZ, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_q is WT_TYPE_F8E4M3_FNUZ", "WT_TYPE_F4E2M1");
  REFUSED(quantize, good, desc.ldx = 63, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 63", "64 elements");
  REFUSED(quantize, good, desc.q_row_bytes = 47, WT_ERROR_LEADING_DIMENSION, "desc->q_row_bytes is 47",
          "48 bytes");
  REFUSED(quantize, good, desc.scale_row = 1, WT_ERROR_LEADING_DIMENSION, "desc->scale_row is 1", "2 bytes");
  REFUSED(quantize, good, desc.scale_row = INT64_MAX, WT_ERROR_SIZE, "desc->scale_row is", "scale spans");
  REFUSED(quantize, good, desc.scale_block = 1, WT_ERROR_STRIDE, "desc->scale_block is 1", "pass 0");
  REFUSED(quantize, good, desc.scales = (wt_block_scales)3, WT_ERROR_VALUE, "desc->scales is 3",
          "WT_BLOCK_SCALES_POWER_OF_TWO (2)");
  REFUSED(quantize, good, desc.shape = (wt_block_shape)2, WT_ERROR_VALUE, "desc->shape is 2",
          "WT_BLOCKS_OF_SQUARES (1)");
  REFUSED(quantize, good, desc.element_rounding = (wt_element_rounding)2, WT_ERROR_VALUE,
          "desc->element_rounding is 2", "WT_ELEMENT_STOCHASTIC (1)");
  REFUSED(quantize, good, desc.shape = (wt_block_shape)-1, WT_ERROR_VALUE, "desc->shape is -1");
  REFUSED(quantize, good, x = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(quantize, good, q = NULL, WT_ERROR_NULL_ARGUMENT, "q is NULL");
  REFUSED(quantize, good, scale = NULL, WT_ERROR_NULL_ARGUMENT, "scale is NULL");
  REFUSED(quantize, good, x = (char *)part(0) + 1, WT_ERROR_MISALIGNED, "x is 0x", "2 bytes");
  REFUSED(quantize, good, q = arena_end() - 239, WT_ERROR_BUFFER, "q needs 240 bytes", "239");
  REFUSED(quantize, good, scale = arena_end() - 9, WT_ERROR_BUFFER, "scale needs 10 bytes", "9");
  REFUSED(quantize, good, q = part(0), WT_ERROR_OVERLAP, "q (0x", "overlaps x");
  REFUSED(quantize, good, scale = part(2), WT_ERROR_OVERLAP, "q (0x", "overlaps scale");
  refusal_accepted("a good call", quantize, &good);
  block_call columns = good;
  columns.desc.rows = 32, columns.desc.columns = 5, columns.desc.along = WT_BLOCKS_ALONG_COLUMNS;
  refusal_accepted("blocks along columns", quantize, &columns);
  block_call random = good;
  random.desc.element_rounding = WT_ELEMENT_STOCHASTIC;
  REFUSED(quantize, random, desc.shape = WT_BLOCKS_OF_SQUARES, WT_ERROR_VALUE,
          "desc->element_rounding is WT_ELEMENT_STOCHASTIC (1)", "WT_BLOCKS_OF_LINES (0) as desc->shape");
  refusal_accepted("stochastic rounding", quantize, &random);
  random.desc.shape = WT_BLOCKS_OF_SQUARES;
  refusal_accepted("stochastic rounding on the way back, which does not look at it", dequantize, &random);
  block_call older = good;
  older.desc.element_rounding = (wt_element_rounding)2;  // which the older version does not have
  older.desc.struct_size = offsetof(wt_block_scale_desc, element_rounding);
  refusal_accepted("a descriptor of the version without element_rounding", quantize, &older);

  REFUSED(dequantize, columns, desc.rounding = WT_SCALE_UP, WT_ERROR_VALUE, "desc->along is 1",
          "WT_BLOCKS_ALONG_ROWS (0)");
  REFUSED(dequantize, good, x = part(2), WT_ERROR_OVERLAP, "x (0x", "overlaps q");
  REFUSED(dequantize, good, x = arena_end() - 638, WT_ERROR_BUFFER, "x needs 640 bytes", "638");
  refusal_accepted("back", dequantize, &good);
}

// F32 scales: 5 rows of 150 numbers with 2 scales each.
static block_call good_f32_call(wt_type fp8) {
  block_call good = good_call();
  good.desc.columns = 150, good.desc.type_q = fp8, good.desc.scales = WT_BLOCK_SCALES_F32;
  return good;
}

static void test_f32_scales(wt_type fp8, wt_type other, const char *other_name) {
  block_call good = good_f32_call(fp8);
  REFUSED(quantize, good, desc.type_q = other, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_q is", other_name);
  REFUSED(quantize, good, desc.type_q = WT_TYPE_F4E2M1, WT_ERROR_UNSUPPORTED_TYPE, "WT_TYPE_F4E2M1");
  REFUSED(quantize, good, desc.rounding = WT_SCALE_EVEN, WT_ERROR_VALUE, "desc->rounding is 2",
          "chosen in one way");
  REFUSED(quantize, good, desc.element_rounding = WT_ELEMENT_STOCHASTIC, WT_ERROR_VALUE,
          "desc->element_rounding is WT_ELEMENT_STOCHASTIC (1)", "WT_BLOCK_SCALES_E8M0 (0) as desc->scales");
  REFUSED(quantize, good, desc.scale_row = 2, WT_ERROR_STRIDE, "desc->scale_row is 2 and scale_block 0");
  REFUSED(quantize, good, desc.scale_block = -1, WT_ERROR_STRIDE, "scale_row is 0 and scale_block -1");
  block_call strides = good;
  strides.desc.scale_block = 1;
  REFUSED(quantize, strides, desc.scale_row = 1, WT_ERROR_STRIDE, "scale_row is 1 and scale_block 1",
          "in one place");
  REFUSED(quantize, strides, desc.scale_row = INT64_MAX / 2, WT_ERROR_SIZE, "scale spans", "2^63");
  REFUSED(quantize, good, q = arena_end() - 749, WT_ERROR_BUFFER, "q needs 750 bytes", "749");
  REFUSED(quantize, good, scale = arena_end() - 36, WT_ERROR_BUFFER, "scale needs 40 bytes", "36");
  REFUSED(quantize, good, scale = (char *)part(4) + 2, WT_ERROR_MISALIGNED, "scale is 0x", "4 bytes");
  refusal_accepted("F32 scales of lines", quantize, &good);
  refusal_accepted("and back", dequantize, &good);
  block_call squares = good;
  squares.desc.shape = WT_BLOCKS_OF_SQUARES;
  REFUSED(quantize, squares, scale = arena_end() - 4, WT_ERROR_BUFFER, "scale needs 8 bytes", "4");
  refusal_accepted("F32 scales of squares", quantize, &squares);
  strides.desc.scale_row = 1;
  refusal_accepted("back, with two scales in one place", dequantize, &strides);
}

static void test_gfx942(void) {
  block_call good = good_call();
  REFUSED(quantize, good, desc.rounding = WT_SCALE_UP, WT_ERROR_UNSUPPORTED_TARGET, "gfx942", "gfx950",
          "WT_BLOCK_SCALES_F32 (1) as desc->scales");
  REFUSED(quantize, good, desc.element_rounding = WT_ELEMENT_STOCHASTIC, WT_ERROR_UNSUPPORTED_TARGET,
          "gfx942", "gfx950");
  REFUSED(dequantize, good, desc.rounding = WT_SCALE_UP, WT_ERROR_UNSUPPORTED_TARGET, "gfx942");
}

int main(void) {
  refusal_begin(0);
  test_gfx950();
  test_f32_scales(WT_TYPE_F8E4M3, WT_TYPE_F8E4M3_FNUZ, "WT_TYPE_F8E4M3_FNUZ");
  refusal_end();
  refusal_begin(1);
  test_gfx942();
  test_f32_scales(WT_TYPE_F8E5M2_FNUZ, WT_TYPE_F8E5M2, "WT_TYPE_F8E5M2");
  refusal_end();
  return test_result();
}
