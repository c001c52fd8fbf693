// SPDX-License-Identifier: MIT
// wt_shuffle_scales and wt_shuffle_weights refuse every kind of wrong argument with its own status and a
// sentence that names argument and value; nothing is launched and no memory changes.
#include "refusal.h"

// Returns parts of the arena, 2 KB apart, and where it ends.
static void *part(int i) { return refusal_arena + i * 2048; }
static char *arena_end(void) { return (char *)refusal_arena + REFUSAL_BYTES; }

typedef struct scale_call {
  wt_shuffle_scales_desc desc;
  void *scale, *shuffled;
} scale_call;

typedef struct weight_call {
  wt_shuffle_weights_desc desc;
  void *weights, *shuffled;
} weight_call;

static wt_status scales(const void *arguments) {
  const scale_call *c = arguments;
  return wt_shuffle_scales(refusal_context, &c->desc, c->scale, c->shuffled, NULL);
}

static wt_status weights(const void *arguments) {
  const weight_call *c = arguments;
  return wt_shuffle_weights(refusal_context, &c->desc, c->weights, c->shuffled, NULL);
}

static scale_call good_scales(void) {
  scale_call good = {.desc = WT_SHUFFLE_SCALES_DESC_INIT, .scale = part(0), .shuffled = part(1)};
  good.desc.rows = 33, good.desc.blocks = 9;  // 4 groups
  return good;
}

static weight_call good_weights(void) {
  weight_call good = {.desc = WT_SHUFFLE_WEIGHTS_DESC_INIT, .weights = part(0), .shuffled = part(1)};
  good.desc.rows = 32, good.desc.row_bytes = 48;
  return good;
}

static void test_scales(void) {
  scale_call good = good_scales();
  REFUSED(scales, good, desc.struct_size = 1, WT_ERROR_STRUCT_SIZE, "struct_size is 1",
          "WT_SHUFFLE_SCALES_DESC_INIT");
  REFUSED(scales, good, desc.rows = 0, WT_ERROR_SIZE, "desc->rows is 0");
  REFUSED(scales, good, desc.blocks = 0, WT_ERROR_SIZE, "desc->blocks is 0", "1 to 67108864");
  REFUSED(scales, good, desc.blocks = (1 << 26) + 1, WT_ERROR_SIZE, "desc->blocks is 67108865");
  REFUSED(scales, good, desc.scale_row_bytes = 8, WT_ERROR_LEADING_DIMENSION, "desc->scale_row_bytes is 8",
          "9 bytes");
  REFUSED(scales, good, desc.shuffled_row_bytes = 520, WT_ERROR_LEADING_DIMENSION,
          "desc->shuffled_row_bytes is 520", "multiple of 16");
  REFUSED(scales, good, desc.shuffled_row_bytes = 496, WT_ERROR_LEADING_DIMENSION,
          "desc->shuffled_row_bytes is 496", "512 bytes");
  REFUSED(scales, good, scale = NULL, WT_ERROR_NULL_ARGUMENT, "scale is NULL");
  REFUSED(scales, good, shuffled = NULL, WT_ERROR_NULL_ARGUMENT, "shuffled is NULL");
  REFUSED(scales, good, shuffled = (char *)part(1) + 8, WT_ERROR_MISALIGNED, "shuffled is 0x", "16 bytes");
  REFUSED(scales, good, shuffled = arena_end() - 1008, WT_ERROR_BUFFER, "shuffled needs 1024 bytes", "1008");
  REFUSED(scales, good, shuffled = part(0), WT_ERROR_OVERLAP, "shuffled (0x", "overlaps scale");
  refusal_accepted("scales", scales, &good);
}

static void test_weights(void) {
  weight_call good = good_weights();
  REFUSED(weights, good, desc.struct_size = 1, WT_ERROR_STRUCT_SIZE, "struct_size is 1",
          "WT_SHUFFLE_WEIGHTS_DESC_INIT");
  REFUSED(weights, good, desc.rows = 0, WT_ERROR_SIZE, "desc->rows is 0");
  REFUSED(weights, good, desc.rows = 24, WT_ERROR_SIZE, "desc->rows is 24", "multiple of 16");
  REFUSED(weights, good, desc.row_bytes = 0, WT_ERROR_SIZE, "desc->row_bytes is 0", "16 to 2147483632");
  REFUSED(weights, good, desc.row_bytes = 40, WT_ERROR_SIZE, "rows of 40 bytes", "multiple of 16");
  REFUSED(weights, good, desc.weight_row_bytes = 47, WT_ERROR_LEADING_DIMENSION,
          "desc->weight_row_bytes is 47", "48 bytes");
  REFUSED(weights, good, desc.shuffled_row_bytes = 56, WT_ERROR_LEADING_DIMENSION,
          "desc->shuffled_row_bytes is 56", "multiple of 16");
  REFUSED(weights, good, desc.shuffled_row_bytes = 32, WT_ERROR_LEADING_DIMENSION,
          "desc->shuffled_row_bytes is 32", "48 bytes");
  REFUSED(weights, good, weights = NULL, WT_ERROR_NULL_ARGUMENT, "weights is NULL");
  REFUSED(weights, good, shuffled = NULL, WT_ERROR_NULL_ARGUMENT, "shuffled is NULL");
  REFUSED(weights, good, shuffled = (char *)part(1) + 4, WT_ERROR_MISALIGNED, "shuffled is 0x", "16 bytes");
  REFUSED(weights, good, shuffled = arena_end() - 1520, WT_ERROR_BUFFER, "shuffled needs 1536 bytes", "1520");
  REFUSED(weights, good, shuffled = part(0), WT_ERROR_OVERLAP, "shuffled (0x", "overlaps weights");
  refusal_accepted("weights", weights, &good);
}

static void test_gfx942(void) {
  scale_call s = good_scales();
  weight_call w = good_weights();
  REFUSED(scales, s, desc.scale_row_bytes = 0, WT_ERROR_UNSUPPORTED_TARGET, "gfx942", "gfx950");
  REFUSED(weights, w, desc.weight_row_bytes = 0, WT_ERROR_UNSUPPORTED_TARGET, "gfx942", "gfx950");
}

int main(void) {
  refusal_begin(0);
  test_scales();
  test_weights();
  refusal_end();
  refusal_begin(1);
  test_gfx942();
  refusal_end();
  return test_result();
}
