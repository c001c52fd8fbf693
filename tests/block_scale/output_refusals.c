// SPDX-License-Identifier: MIT
// wt_norm and wt_activate refuse every kind of wrong desc->output with its own status and a sentence that
// names argument and value; nothing is launched and no memory changes.
#include "refusal.h"

enum { ROWS = 5, COLUMNS = 160 };

typedef struct output_call {
  wt_norm_desc norm;
  wt_activation_desc activation;
  wt_block_output output;  // of both
  const void *x;
  void *y;
} output_call;

static wt_status norm(const void *arguments) {
  const output_call *c = arguments;
  wt_norm_desc d = c->norm;
  d.output = c->output;
  return wt_norm(refusal_context, &d, c->x, c->y, NULL);
}

static wt_status activate(const void *arguments) {
  const output_call *c = arguments;
  wt_activation_desc d = c->activation;
  d.output = c->output;
  return wt_activate(refusal_context, &d, c->x, NULL, c->y, NULL);
}

static wt_status activate_backward(const void *arguments) {
  const output_call *c = arguments;
  wt_activation_desc d = c->activation;
  d.output = c->output;
  return wt_activate_backward(refusal_context, &d, c->x, NULL, c->y, c->output.scale, NULL, NULL);
}

// Returns parts of the arena, 4 KB apart, and where it ends.
static void *part(int i) { return refusal_arena + i * 4096; }
static char *arena_end(void) { return (char *)refusal_arena + REFUSAL_BYTES; }

// Both calls are refused alike.
#define BOTH(good, change, status, ...)                   \
  do {                                                    \
    REFUSED(norm, good, change, status, __VA_ARGS__);     \
    REFUSED(activate, good, change, status, __VA_ARGS__); \
  } while (0)

static output_call good_call(void) {
  output_call good = {
      .norm = WT_NORM_DESC_INIT, .activation = WT_ACTIVATION_DESC_INIT, .x = part(0), .y = part(2)};
  good.norm.rows = good.activation.rows = ROWS;
  good.norm.columns = good.activation.columns = COLUMNS;
  good.norm.type = good.activation.type = WT_TYPE_BF16;
  good.output.scale = part(3);
  return good;
}

static void test_memory(output_call good) {
  BOTH(good, y = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  BOTH(good, output.scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->output.scale is NULL");
  BOTH(good, y = part(0), WT_ERROR_OVERLAP, "y (0x", "overlaps x");
  BOTH(good, output.scale = part(0), WT_ERROR_OVERLAP, "desc->output.scale (0x", "overlaps x");
  BOTH(good, output.scale = part(2), WT_ERROR_OVERLAP, "y (0x", "overlaps desc->output.scale");
}

static void test_mx(void) {
  output_call good = good_call();
  good.output.type = WT_TYPE_F6E2M3;
  BOTH(good, output.type = WT_TYPE_F8E4M3_FNUZ, WT_ERROR_UNSUPPORTED_TYPE,
       "desc->output.type is WT_TYPE_F8E4M3_FNUZ", "WT_TYPE_F4E2M1");
  BOTH(good, output.type = (wt_type)0, WT_ERROR_UNSUPPORTED_TYPE, "desc->output.type is 0",
       "desc->output.scale is 0x");
  BOTH(good, output.scales = (wt_block_scales)3, WT_ERROR_VALUE, "desc->output.scales is 3", "(2)");
  BOTH(good, output.scales = (wt_block_scales)-1, WT_ERROR_VALUE, "desc->output.scales is -1");
  BOTH(good, output.rounding = (wt_scale_rounding)4, WT_ERROR_VALUE, "desc->output.rounding is 4",
       "WT_SCALE_CEIL");
  BOTH(good, output.layout = (wt_scale_layout)2, WT_ERROR_VALUE, "desc->output.layout is 2",
       "WT_SCALES_SHUFFLED (1)");
  BOTH(good, output.scale_block = 1, WT_ERROR_STRIDE, "desc->output.scale_block is 1", "pass 0");
  BOTH(good, output.row_bytes = 119, WT_ERROR_LEADING_DIMENSION, "desc->output.row_bytes is 119",
       "120 bytes");
  BOTH(good, output.scale_row = 4, WT_ERROR_LEADING_DIMENSION, "desc->output.scale_row is 4", "5 bytes");
  BOTH(good, y = arena_end() - 599, WT_ERROR_BUFFER, "y needs 600 bytes", "599");
  BOTH(good, output.scale = arena_end() - 24, WT_ERROR_BUFFER, "desc->output.scale needs 25 bytes", "24");
  REFUSED(norm, good, norm.columns = 159, WT_ERROR_SIZE, "desc->columns is 159", "multiple of 32");
  REFUSED(activate, good, activation.columns = 48, WT_ERROR_SIZE, "desc->columns is 48", "multiple of 32");
  REFUSED(norm, good, norm.ldy = COLUMNS, WT_ERROR_LEADING_DIMENSION, "desc->ldy is 160",
          "desc->output.row_bytes");
  REFUSED(activate, good, activation.ldy = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldy is 1",
          "desc->output.row_bytes");
  REFUSED(activate_backward, good, output.rounding = WT_SCALE_UP, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->output.type is WT_TYPE_F6E2M3", "gradients");
  REFUSED(norm, good, norm.sum = part(2), WT_ERROR_OVERLAP, "y (0x", "overlaps desc->sum");
  test_memory(good);
  refusal_accepted("a norm", norm, &good);
  refusal_accepted("an activation", activate, &good);

  output_call shuffled = good;
  shuffled.output.layout = WT_SCALES_SHUFFLED;
  BOTH(shuffled, output.scale_row = 264, WT_ERROR_LEADING_DIMENSION, "desc->output.scale_row is 264",
       "multiple of 16");
  BOTH(shuffled, output.scale = (char *)part(3) + 8, WT_ERROR_MISALIGNED, "desc->output.scale is 0x",
       "16 bytes");
  BOTH(shuffled, output.scale = arena_end() - 240, WT_ERROR_BUFFER, "desc->output.scale needs 256 bytes",
       "240");
  refusal_accepted("a norm with shuffled scales", norm, &shuffled);
  refusal_accepted("an activation with shuffled scales", activate, &shuffled);

  output_call older = good;  // whose output the older versions do not have
  older.norm.struct_size = offsetof(wt_norm_desc, output);
  older.activation.struct_size = offsetof(wt_activation_desc, output);
  older.y = part(6);
  refusal_accepted("a norm's descriptor of the first version", norm, &older);
  refusal_accepted("an activation's descriptor of the second version", activate, &older);
}

static void test_f32(wt_type type, wt_type other) {
  output_call good = good_call();
  good.output.type = type, good.output.scales = WT_BLOCK_SCALES_F32;
  BOTH(good, output.type = other, WT_ERROR_UNSUPPORTED_TYPE, "desc->output.type is WT_TYPE_F8",
       "FP8 on gfx9");
  BOTH(good, output.type = WT_TYPE_F4E2M1, WT_ERROR_UNSUPPORTED_TYPE, "desc->output.type is WT_TYPE_F4E2M1");
  BOTH(good, output.rounding = WT_SCALE_EVEN, WT_ERROR_VALUE, "desc->output.rounding is 2",
       "WT_SCALE_UP (0)");
  BOTH(good, output.layout = WT_SCALES_SHUFFLED, WT_ERROR_VALUE, "desc->output.layout is 1",
       "WT_SCALES_BY_ROWS (0)");
  BOTH(good, output.scale_row = 2, WT_ERROR_STRIDE, "desc->output.scale_row is 2 and output.scale_block 0",
       "from 1");
  BOTH(good, output.scale_block = -1, WT_ERROR_STRIDE, "scale_row is 0 and output.scale_block -1");
  output_call strides = good;
  strides.output.scale_block = 1;
  BOTH(strides, output.scale_row = 1, WT_ERROR_STRIDE, "scale_row is 1 and output.scale_block 1",
       "in one place");
  BOTH(strides, output.scale_row = INT64_MAX / 2, WT_ERROR_SIZE, "scale_row is 4611686018427387903", "2^63");
  BOTH(good, output.scale = (char *)part(3) + 2, WT_ERROR_MISALIGNED, "desc->output.scale is 0x", "4 bytes");
  BOTH(good, output.scale = arena_end() - 36, WT_ERROR_BUFFER, "desc->output.scale needs 40 bytes", "36");
  BOTH(good, output.row_bytes = 159, WT_ERROR_LEADING_DIMENSION, "desc->output.row_bytes is 159",
       "160 bytes");
  test_memory(good);
  refusal_accepted("a norm", norm, &good);
  refusal_accepted("an activation", activate, &good);
}

static void test_gfx942(void) {
  output_call good = good_call();
  good.output.type = WT_TYPE_F8E4M3;
  BOTH(good, output.scales = WT_BLOCK_SCALES_E8M0, WT_ERROR_UNSUPPORTED_TARGET, "gfx942",
       "WT_BLOCK_SCALES_F32 (1)");
}

int main(void) {
  refusal_begin(0);
  test_mx();
  test_f32(WT_TYPE_F8E5M2, WT_TYPE_F8E4M3_FNUZ);
  refusal_end();
  refusal_begin(1);
  test_gfx942();
  test_f32(WT_TYPE_F8E4M3_FNUZ, WT_TYPE_F8E5M2);
  refusal_end();
  return test_result();
}
