// SPDX-License-Identifier: MIT
// The grouped calls refuse every kind of wrong argument with its own status and a sentence that names
// argument and value; nothing is launched and no memory changes.
#include "tests/refusal.h"

#include <math.h>

// There are 3 groups over 12 rows of 8 numbers, with 6 outputs each.
enum { GROUPS = 3, ROWS = 12, N = 6, K = 8 };

typedef struct call {
  wt_grouped_desc desc;
  const void *a, *b;
  void *c;
  const int32_t *rows;
} call;

static wt_status run(const void *arguments) {
  const call *c = arguments;
  return wt_grouped_forward(refusal_context, &c->desc, c->a, c->b, c->c, c->rows, NULL);
}
static wt_status run_input(const void *arguments) {
  const call *c = arguments;
  return wt_grouped_backward_input(refusal_context, &c->desc, c->a, c->b, c->c, c->rows, NULL);
}
static wt_status run_weight(const void *arguments) {
  const call *c = arguments;
  return wt_grouped_backward_weight(refusal_context, &c->desc, c->a, c->b, c->c, c->rows, NULL);
}

// Returns parts of the arena, 4 KB apart, and what lies `bytes` before its end.
static void *part(int i) { return refusal_arena + i * 4096; }
static void *before_end(int bytes) { return refusal_arena + REFUSAL_BYTES - bytes; }

static void test_sizes(call good) {
  REFUSED(run, good, desc.struct_size = 8, WT_ERROR_STRUCT_SIZE, "struct_size is 8", "WT_GROUPED_DESC_INIT");
  REFUSED(run, good, desc.groups = 0, WT_ERROR_SIZE, "desc->groups is 0", "1 to 512");
  REFUSED(run, good, desc.groups = 513, WT_ERROR_SIZE, "desc->groups is 513", "several calls");
  REFUSED(run, good, desc.m = 0, WT_ERROR_SIZE, "desc->m is 0", "from 1");
  REFUSED(run, good, desc.n = -1, WT_ERROR_SIZE, "desc->n is -1");
  REFUSED(run, good, desc.k = 1ll << 31, WT_ERROR_SIZE, "desc->k is 2147483648");
  REFUSED(run, good, desc.w_group = -1, WT_ERROR_STRIDE, "desc->w_group is -1", "without gaps");
  REFUSED(run, good, desc.contract = (wt_grouped_contract)3, WT_ERROR_VALUE, "desc->contract is 3",
          "WT_GROUP_");
  REFUSED(run, good, desc.expected_rows = -1, WT_ERROR_SIZE, "desc->expected_rows is -1", "mean");
  REFUSED(run, good, desc.expected_rows = ROWS + 1, WT_ERROR_SIZE, "desc->expected_rows is 13", "12");
  REFUSED(run, good, desc.ldx = K - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 7", "8 elements");
  REFUSED(run, good, desc.ldw = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldw is 1");
  REFUSED(run, good, desc.ldy = N - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldy is 5");
  REFUSED(run, good, desc.ldx = INT64_MAX, WT_ERROR_SIZE, "desc->ldx", "2^63");
  call masked = good;
  masked.desc.contract = WT_GROUP_MASKED;
  REFUSED(run, masked, desc.m = INT32_MAX / 2, WT_ERROR_SIZE, "desc->m is 1073741823", "3 groups");
  call many = good;
  many.desc.m = INT32_MAX, many.desc.groups = 512;
  REFUSED(run, many, desc.n = 4096, WT_ERROR_UNSUPPORTED_SIZE, "2^31 tiles", "512 groups", "fewer groups");
}

static void test_values(call good, bool ocp) {
  REFUSED(run, good, desc.type_x = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x is WT_TYPE_F32",
          ocp ? "WT_TYPE_F8E4M3," : "WT_TYPE_F8E4M3_FNUZ");
  REFUSED(run, good, desc.type_x = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x is WT_TYPE_I8");
  REFUSED(run, good, desc.type_x = ocp ? WT_TYPE_F8E4M3_FNUZ : WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_x is WT_TYPE_F8E4M3");
  REFUSED(run, good, desc.type_w = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_w is WT_TYPE_F16",
          "the same");
  REFUSED(run, good, desc.type_y = WT_TYPE_I32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_y is WT_TYPE_I32");
  REFUSED(run, good, desc.alpha = NAN, WT_ERROR_VALUE, "alpha is", "finite");
  REFUSED(run, good, desc.beta = INFINITY, WT_ERROR_VALUE, "beta is inf");
  REFUSED(run, good, desc.activation = (wt_activation)4, WT_ERROR_VALUE, "desc->activation is 4");
}

static void test_kernels(call good, bool gfx950) {
  REFUSED(run, good, desc.kernel = "grouped_of_nothing", WT_ERROR_UNKNOWN_KERNEL, "grouped_of_nothing");
  REFUSED(run, good, desc.kernel = "grouped_depth_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          "gradient of the weights only");
  call named = good;
  named.desc.type_y = WT_TYPE_BF16;
  REFUSED(run_input, named, desc.kernel = "grouped_depth_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          "gradient of the weights only");
  REFUSED(run_weight, named, desc.kernel = "grouped_general_64x64", WT_ERROR_UNSUPPORTED_KERNEL,
          "does not compute the gradient of the weights");
  named.desc.kernel = "grouped_4wave_64x64";
  REFUSED(run_input, named, desc.alpha = 1, WT_ERROR_UNSUPPORTED_KERNEL, "only the forward pass");
  REFUSED(run, named, desc.alpha = 1, WT_ERROR_UNSUPPORTED_KERNEL, "desc->k of at least", "it is 8");
  named.desc.k = 512;
  REFUSED(run, named, desc.ldx = 513, WT_ERROR_UNSUPPORTED_KERNEL, "rows of x", "513 elements apart");
  REFUSED(run, named, desc.w_group = 6 * 512 + 4, WT_ERROR_UNSUPPORTED_KERNEL, "groups of w",
          "3076 elements");
  REFUSED(run, named, desc.ldw = 1ll << 25, WT_ERROR_UNSUPPORTED_KERNEL, "2 GB", "rows of w");
  REFUSED(run, named, a = (const char *)good.a + 2, WT_ERROR_UNSUPPORTED_KERNEL, "x at a multiple of 16");
  named.desc.kernel = "grouped_4wave_persistent_256x256";
  if (!gfx950) {
    REFUSED(run, named, desc.alpha = 1, WT_ERROR_UNSUPPORTED_KERNEL, "is not compiled for");
    return;
  }
  named.desc.n = 16;
  REFUSED(run, named, desc.type_y = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_KERNEL, "BF16 or F16", "WT_TYPE_F32");
  REFUSED(run, named, desc.beta = 1, WT_ERROR_UNSUPPORTED_KERNEL, "desc->beta is set");
  REFUSED(run, named, desc.bias = part(4), WT_ERROR_UNSUPPORTED_KERNEL, "desc->bias is set");
  REFUSED(run, named, desc.k = 520, WT_ERROR_UNSUPPORTED_KERNEL, "steps of 64", "520");
  REFUSED(run, named, desc.n = 12, WT_ERROR_UNSUPPORTED_KERNEL, "8 columns", "12");
  REFUSED(run, named, c = (char *)good.c + 2, WT_ERROR_UNSUPPORTED_KERNEL, "y at a multiple of 16");
}

static void test_scales(call good, bool ocp) {
  const wt_type type = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  call scaled = good;
  scaled.desc.type_x = scaled.desc.type_w = type;
  scaled.desc.x_scale = part(6), scaled.desc.w_scale = part(7);
  scaled.desc.scales = WT_BLOCK_SCALES_F32;
  refusal_accepted("scales of blocks", run, &scaled);
  REFUSED(run, scaled, desc.x_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->x_scale is NULL", "neither");
  REFUSED(run, scaled, desc.w_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->w_scale is NULL", "neither");
  REFUSED(run, scaled, desc.type_x = ocp ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_x is WT_TYPE_F8E5M2", "must be WT_TYPE_F8E4M3");
  REFUSED(run, scaled, desc.type_w = ocp ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_w is WT_TYPE_F8E5M2", "must be WT_TYPE_F8E4M3");
  REFUSED(run, scaled, desc.scales = (wt_block_scales)3, WT_ERROR_VALUE, "desc->scales is 3",
          "WT_BLOCK_SCALES_");
  REFUSED(run, scaled, desc.kernel = "grouped_mx_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          ocp ? "takes E8M0 scales" : "is not compiled for gfx942");
  REFUSED(run, scaled, desc.scales_of_w = (wt_scales_of_b)2, WT_ERROR_VALUE, "desc->scales_of_w is 2");
  REFUSED(run, scaled, desc.x_scale_row = 1, WT_ERROR_STRIDE, "desc->x_scale_row is 1", "x_scale_block 0");
  REFUSED(run, scaled, desc.w_scale_block = -1, WT_ERROR_STRIDE, "w_scale_block -1", "packed rows");
  REFUSED(run, scaled, desc.w_scale_group = -1, WT_ERROR_STRIDE, "desc->w_scale_group is -1", "without gaps");
  call far = scaled;
  far.desc.w_scale_row = INT64_MAX / 2;
  REFUSED(run, far, desc.w_scale_block = INT64_MAX / 2, WT_ERROR_SIZE, "desc->w_scale_row", "2^63 bytes");
  REFUSED(run, scaled, desc.x_scale = before_end(ROWS * 4 - 4), WT_ERROR_BUFFER, "desc->x_scale needs 48");
  REFUSED(run, scaled, desc.w_scale = before_end(GROUPS * 4 - 4), WT_ERROR_BUFFER, "desc->w_scale needs 12");
  REFUSED(run, scaled, c = part(6), WT_ERROR_OVERLAP, "y (0x", "overlaps desc->x_scale");
  REFUSED(run, scaled, desc.kernel = "grouped_general_64x64", WT_ERROR_UNSUPPORTED_KERNEL,
          "takes no scales of blocks", "desc->w_scale is set");
  REFUSED(run, scaled, desc.kernel = "grouped_block_rows_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          "scales of each row of w", "desc->scales_of_w is 0");
  call powers = scaled;
  powers.desc.kernel = "grouped_block_powers_tiles_256x256";
  powers.desc.scales = WT_BLOCK_SCALES_POWER_OF_TWO, powers.desc.k = WT_BLOCK_ELEMENTS;
  if (ocp) {
    refusal_accepted("powers of two", run, &powers);
    REFUSED(run, powers, desc.scales = WT_BLOCK_SCALES_F32, WT_ERROR_UNSUPPORTED_KERNEL,
            "takes powers of two as scales, but desc->scales is 1", "pass NULL");
    REFUSED(run, powers, desc.k = K, WT_ERROR_UNSUPPORTED_KERNEL, "needs desc->k of whole blocks of 32",
            "but it is 8");
    REFUSED(run, powers, desc.scales_of_w = WT_SCALES_OF_B_ROWS, WT_ERROR_UNSUPPORTED_KERNEL,
            "scales of 128 rows of w together", "desc->scales_of_w is 1");
  } else {
    REFUSED(run, powers, desc.alpha = 1, WT_ERROR_UNSUPPORTED_KERNEL, "is not compiled for gfx942",
            "pass NULL");
  }
  powers.desc.kernel = NULL;
  refusal_accepted("powers of two by the kernel that is chosen", run, &powers);
  call plain = good;
  plain.desc.type_x = plain.desc.type_w = type;
  REFUSED(run, plain, desc.kernel = "grouped_block_tiles_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          "takes scales of blocks", "desc->w_scale is NULL");
  REFUSED(run, scaled, desc.y_scale = part(8), WT_ERROR_VALUE, "desc->y_scale is set", "y is the result");
}

// Checks gradients of operands with scales of 128: dy is good.a, w transposed.
static void test_scaled_gradients(call good, bool ocp) {
  const wt_type type = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  call input = good;
  input.desc.type_y = input.desc.type_w = type, input.desc.type_x = WT_TYPE_F32;
  input.desc.y_scale = part(6), input.desc.w_scale = part(7);
  input.desc.scales = WT_BLOCK_SCALES_F32;
  refusal_accepted("scales of a gradient of the input", run_input, &input);
  REFUSED(run_input, input, desc.x_scale = part(8), WT_ERROR_VALUE, "desc->x_scale is set",
          "dx is the result");
  REFUSED(run_input, input, desc.y_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->y_scale is NULL",
          "both dy and w");
  REFUSED(run_input, input, desc.type_y = WT_TYPE_BF16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_y is",
          "must be WT_TYPE_F8E4M3");
  REFUSED(run_input, input, desc.ldw = N - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldw is 5", "6 elements");
  REFUSED(run_input, input, desc.w_group = -1, WT_ERROR_STRIDE, "desc->w_group is -1", "without gaps");
  REFUSED(run_input, input, desc.w_group = INT64_MAX, WT_ERROR_SIZE, "desc->w_group", "2^63 bytes");
  REFUSED(run_input, input, desc.y_scale_row = 1, WT_ERROR_STRIDE, "desc->y_scale_row is 1",
          "y_scale_block 0");
  REFUSED(run_input, input, desc.y_scale = before_end(ROWS * 4 - 4), WT_ERROR_BUFFER,
          "desc->y_scale needs 48");
  REFUSED(run_input, input, desc.kernel = "grouped_depth_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          "takes no scales of blocks", "desc->w_scale is set");
  call weight = input;
  weight.desc.type_x = type, weight.desc.type_w = WT_TYPE_F32;
  weight.desc.x_scale = part(7), weight.desc.w_scale = NULL;
  refusal_accepted("scales of a gradient of the weights", run_weight, &weight);
  REFUSED(run_weight, weight, desc.w_scale = part(8), WT_ERROR_VALUE, "desc->w_scale is set",
          "dw is the result");
  REFUSED(run_weight, weight, desc.ldx = ROWS - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 11",
          "12 elements");
  REFUSED(run_weight, weight, desc.w_group = N * K - 1, WT_ERROR_STRIDE, "desc->w_group is 47",
          "at least 48");
  REFUSED(run_weight, weight, desc.contract = WT_GROUP_MASKED, WT_ERROR_SIZE, "desc->m is 12",
          "multiple of 128");
}

// Tests x and w in MX formats, with rows of 32 elements.
static void test_mx(call good, bool gfx950) {
  call mx = good;
  mx.desc.k = 32, mx.desc.type_x = mx.desc.type_w = WT_TYPE_F4E2M1;
  REFUSED(run, mx, desc.alpha = 1, WT_ERROR_NULL_ARGUMENT, "desc->x_scale is NULL", "WT_TYPE_F4E2M1");
  mx.desc.x_scale = part(6), mx.desc.w_scale = part(7);
  if (!gfx950) {
    REFUSED(run, mx, desc.alpha = 1, WT_ERROR_UNSUPPORTED_TARGET, "gfx950", "WT_BLOCK_SCALES_F32");
    return;
  }
  refusal_accepted("MX formats", run, &mx);
  REFUSED(run, mx, desc.type_x = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x is WT_TYPE_F16",
          "WT_TYPE_F6E3M2", "without x_scale WT_TYPE_BF16");
  REFUSED(run, mx, desc.x_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->x_scale is NULL", "neither");
  REFUSED(run, mx, desc.type_x = WT_TYPE_BF16, WT_ERROR_VALUE, "desc->x_scale is set",
          "WT_TYPE_BF16 has no scales");
  REFUSED(run, mx, desc.type_x = WT_TYPE_F8E5M2, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_w is WT_TYPE_F4E2M1",
          "with type_x WT_TYPE_F8E5M2 it must be WT_TYPE_F8E4M3");
  call five = mx;
  five.desc.type_x = WT_TYPE_F8E5M2, five.desc.type_w = WT_TYPE_F8E4M3;
  refusal_accepted("MXFP8 with E5M2 elements", run, &five);
  REFUSED(run, five, desc.kernel = "grouped_mx_skinny_16x32", WT_ERROR_UNSUPPORTED_KERNEL,
          "takes MX formats of F4E2M1 or F8E4M3", "x is WT_TYPE_F8E5M2");
  REFUSED(run, mx, desc.type_w = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_w is WT_TYPE_F8E4M3",
          "with type_x WT_TYPE_F4E2M1");
  REFUSED(run, mx, desc.scales = WT_BLOCK_SCALES_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x",
          "must be WT_TYPE_F8E4M3");
  REFUSED(run, mx, desc.k = 48, WT_ERROR_SIZE, "desc->k is 48", "multiple of 32");
  REFUSED(run, mx, desc.ldx = 48, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 48", "multiple of 32");
  REFUSED(run, mx, desc.ldw = 16, WT_ERROR_LEADING_DIMENSION, "desc->ldw is 16", "rows of 32 elements");
  REFUSED(run, mx, desc.scales_of_w = WT_SCALES_OF_B_ROWS, WT_ERROR_VALUE, "desc->scales_of_w is set",
          "E8M0");
  REFUSED(run, mx, desc.x_scale_block = 1, WT_ERROR_VALUE, "desc->x_scale_block is set", "E8M0");
  REFUSED(run, mx, desc.x_scale_row = -1, WT_ERROR_LEADING_DIMENSION, "desc->x_scale_row is -1");
  REFUSED(run, mx, desc.w_scale_group = -1, WT_ERROR_STRIDE, "desc->w_scale_group is -1");
  REFUSED(run, mx, desc.w_scale_group = INT64_MAX, WT_ERROR_SIZE, "desc->w_scale_group", "2^63 bytes");
  REFUSED(run, mx, desc.x_scale = before_end(ROWS - 1), WT_ERROR_BUFFER, "desc->x_scale needs 12");
  REFUSED(run, mx, desc.w_scale = before_end(GROUPS * N - 1), WT_ERROR_BUFFER, "desc->w_scale needs 18");
  REFUSED(run, mx, a = before_end(ROWS * 16 - 1), WT_ERROR_BUFFER, "x needs 192");
  REFUSED(run, mx, c = part(7), WT_ERROR_OVERLAP, "y (0x", "overlaps desc->w_scale");
  REFUSED(run, mx, desc.kernel = "grouped_block_tiles_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          "takes F32 scales", "desc->scales is 0");
  REFUSED(run, mx, desc.kernel = "grouped_mx_6_256x256", WT_ERROR_UNSUPPORTED_KERNEL, "MX formats of 6 bits");
  call gradient = mx;
  gradient.desc.n = 32, gradient.desc.m = 64;
  gradient.desc.type_y = WT_TYPE_F8E4M3, gradient.desc.type_x = WT_TYPE_BF16;
  gradient.desc.y_scale = part(6), gradient.desc.x_scale = NULL;
  refusal_accepted("a gradient of the input of MX formats", run_input, &gradient);
  REFUSED(run_input, gradient, desc.n = 48, WT_ERROR_SIZE, "desc->n is 48", "multiple of 32");
  REFUSED(run_input, gradient, desc.w_group = 48, WT_ERROR_STRIDE, "desc->w_group is 48", "multiple of 32");
  REFUSED(run_input, gradient, desc.type_y = WT_TYPE_BF16, WT_ERROR_VALUE, "desc->y_scale is set",
          "dy of type WT_TYPE_BF16 has no scales");
  REFUSED(run_input, gradient, desc.y_scale_block = 1, WT_ERROR_VALUE, "desc->y_scale_block is set", "E8M0");
  gradient.desc.type_x = WT_TYPE_F4E2M1, gradient.desc.type_w = WT_TYPE_F32;
  gradient.desc.x_scale = part(7), gradient.desc.w_scale = NULL;
  gradient.desc.k = K;
  refusal_accepted("a gradient of the weights of MX formats", run_weight, &gradient);
  REFUSED(run_weight, gradient, desc.m = 48, WT_ERROR_SIZE, "desc->m is 48", "multiple of 32");
  REFUSED(run_weight, gradient, desc.kernel = "grouped_mx_skinny_16x32", WT_ERROR_UNSUPPORTED_KERNEL,
          "does not compute the gradient of the weights");
  REFUSED(run_weight, gradient, desc.x_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->x_scale is NULL",
          "both dy and x");
  call widened = mx;
  widened.desc.type_x = WT_TYPE_BF16, widened.desc.x_scale = NULL;
  refusal_accepted("x of BF16 with w in MXFP4", run, &widened);
  REFUSED(run, widened, desc.type_w = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_w is WT_TYPE_F8E4M3", "with type_x WT_TYPE_BF16 it must be WT_TYPE_F4E2M1");
  REFUSED(run, widened, desc.scales = WT_BLOCK_SCALES_F32, WT_ERROR_NULL_ARGUMENT, "desc->x_scale is NULL");
  REFUSED(run, widened, desc.k = 48, WT_ERROR_SIZE, "desc->k is 48", "multiple of 32");
  REFUSED(run, widened, desc.ldx = 31, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 31", "32 elements");
  REFUSED(run, widened, desc.kernel = "grouped_mx_128x128", WT_ERROR_UNSUPPORTED_KERNEL,
          "takes MX formats of F4E2M1 or F8E4M3", "x is WT_TYPE_BF16");
  REFUSED(run, widened, a = before_end(ROWS * 64 - 1), WT_ERROR_BUFFER, "x needs 768");
}

static void test_memory(call good) {
  float scale;
  REFUSED(run, good, a = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(run, good, b = NULL, WT_ERROR_NULL_ARGUMENT, "w is NULL");
  REFUSED(run, good, c = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  REFUSED(run, good, rows = NULL, WT_ERROR_NULL_ARGUMENT, "rows is NULL");
  REFUSED(run, good, a = (const char *)good.a + 1, WT_ERROR_MISALIGNED, "x is 0x", "2 bytes");
  REFUSED(run, good, c = part(3), WT_ERROR_OVERLAP, "y (0x", "overlaps rows");
  REFUSED(run, good, a = before_end(ROWS * K * 2 - 2), WT_ERROR_BUFFER, "x needs 192 bytes", "190");
  REFUSED(run, good, b = before_end(GROUPS * N * K * 2 - 2), WT_ERROR_BUFFER, "w needs 288 bytes");
  REFUSED(run, good, c = before_end(ROWS * N * 4 - 4), WT_ERROR_BUFFER, "y needs 288 bytes", "284");
  REFUSED(run, good, rows = before_end(GROUPS * 4), WT_ERROR_BUFFER, "rows needs 16 bytes");
  REFUSED(run, good, c = part(0), WT_ERROR_OVERLAP, "y (0x", "overlaps x");
  REFUSED(run, good, desc.group_scale = before_end(8), WT_ERROR_BUFFER, "desc->group_scale needs 12 bytes");
  REFUSED(run, good, desc.row_scale = before_end(44), WT_ERROR_BUFFER, "desc->row_scale needs 48 bytes");
  REFUSED(run, good, desc.column_scale = before_end(68), WT_ERROR_BUFFER, "desc->column_scale needs 72");
  REFUSED(run, good, desc.bias = &scale, WT_ERROR_BUFFER, "desc->bias is 0x");
  call masked = good;
  masked.desc.contract = WT_GROUP_MASKED;
  REFUSED(run, masked, a = before_end(GROUPS * ROWS * K * 2 - 2), WT_ERROR_BUFFER, "x needs 576 bytes");
}

static void test_workspace(call good) {
  call indices = good;
  indices.desc.contract = WT_GROUP_INDICES;
  refusal_accepted("rows by index", run, &indices);
  indices.desc.workspace = part(5), indices.desc.workspace_bytes = 8 * GROUPS;
  refusal_accepted("rows by index with a workspace", run, &indices);
  REFUSED(run, indices, desc.workspace_bytes = 23, WT_ERROR_BUFFER, "desc->workspace_bytes is 23", "24");
  REFUSED(run, indices, desc.workspace = (char *)part(5) + 8, WT_ERROR_MISALIGNED, "desc->workspace is 0x",
          "16 bytes");
  REFUSED(run, indices, desc.workspace = good.c, WT_ERROR_OVERLAP, "overlaps");
  REFUSED(run, indices, rows = before_end(ROWS * 4 - 4), WT_ERROR_BUFFER, "rows needs 48 bytes");
  CHECK(wt_context_set_workspace_limit(refusal_context, 0) == WT_SUCCESS, "limit");
  REFUSED(run, indices, desc.workspace = NULL, WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL", "24 bytes");
}

static void test_gradients(call good) {
  call gradient = good;
  gradient.desc.type_y = WT_TYPE_BF16, gradient.desc.type_x = WT_TYPE_F32;
  refusal_accepted("the gradient of the input", run_input, &gradient);
  REFUSED(run_input, gradient, desc.type_y = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_y is");
  REFUSED(run_input, gradient, desc.type_x = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x is");
  REFUSED(run_input, gradient, a = NULL, WT_ERROR_NULL_ARGUMENT, "dy is NULL");
  REFUSED(run_input, gradient, c = NULL, WT_ERROR_NULL_ARGUMENT, "dx is NULL");
  gradient.desc.type_x = WT_TYPE_BF16, gradient.desc.type_w = WT_TYPE_F32;
  refusal_accepted("the gradient of the weights", run_weight, &gradient);
  REFUSED(run_weight, gradient, desc.type_x = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x is",
          "with type_y WT_TYPE_BF16");
  REFUSED(run_weight, gradient, b = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(run_weight, gradient, c = before_end(GROUPS * N * K * 4 - 4), WT_ERROR_BUFFER, "dw needs 576");
  REFUSED(run_weight, gradient, desc.row_scale = before_end(GROUPS * N * 4 - 4), WT_ERROR_BUFFER,
          "desc->row_scale needs 72 bytes");
  REFUSED(run_weight, gradient, desc.column_scale = before_end(GROUPS * K * 4 - 4), WT_ERROR_BUFFER,
          "desc->column_scale needs 96 bytes");
  REFUSED(run_weight, gradient, desc.bias = part(4), WT_ERROR_VALUE, "desc->bias is set", "dy");
  REFUSED(run_weight, gradient, desc.activation = WT_ACTIVATION_RELU, WT_ERROR_VALUE, "desc->activation is");
}

static void test_queries(const call *good) {
  const char *name = "";
  size_t bytes = 1;
  CHECK(wt_grouped_chosen(refusal_context, &good->desc, WT_GROUPED_FORWARD, NULL) == WT_ERROR_NULL_ARGUMENT,
        "name");
  CHECK(wt_grouped_workspace_size(refusal_context, &good->desc, NULL) == WT_ERROR_NULL_ARGUMENT, "bytes");
  CHECK(wt_grouped_chosen(refusal_context, &good->desc, (wt_grouped_pass)3, &name) == WT_ERROR_VALUE && !name,
        "pass");
  wt_grouped_desc bad = good->desc;
  bad.groups = 0;
  CHECK(wt_grouped_chosen(refusal_context, &bad, WT_GROUPED_FORWARD, &name) == WT_ERROR_SIZE && !name,
        "size");
  CHECK(wt_grouped_workspace_size(refusal_context, &bad, &bytes) == WT_ERROR_SIZE && bytes == 0, "size");
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    refusal_begin(device);
    const bool gfx950 = strcmp(wt_context_target(refusal_context), "gfx950") == 0;
    static const int32_t offsets[GROUPS + 1] = {0, 5, 5, ROWS};
    CHECK(hipMemcpy(part(3), offsets, sizeof offsets, hipMemcpyHostToDevice) == hipSuccess, "offsets");
    call good = {.desc = WT_GROUPED_DESC_INIT, .a = part(0), .b = part(1), .c = part(2), .rows = part(3)};
    good.desc.groups = GROUPS, good.desc.m = ROWS, good.desc.n = N, good.desc.k = K;
    good.desc.type_x = good.desc.type_w = WT_TYPE_BF16, good.desc.type_y = WT_TYPE_F32;
    refusal_accepted("the good call", run, &good);
    test_sizes(good);
    test_values(good, gfx950);
    test_kernels(good, gfx950);
    test_scales(good, gfx950);
    test_scaled_gradients(good, gfx950);
    test_mx(good, gfx950);
    test_memory(good);
    test_gradients(good);
    test_queries(&good);
    test_workspace(good);
    CHECK(wt_grouped_forward(NULL, &good.desc, good.a, good.b, good.c, good.rows, NULL) ==
              WT_ERROR_NULL_ARGUMENT,
          "no context");
    CHECK(wt_grouped_forward(refusal_context, NULL, good.a, good.b, good.c, good.rows, NULL) ==
              WT_ERROR_NULL_ARGUMENT,
          "no descriptor");
    refusal_end();
  }
  return test_result();
}
