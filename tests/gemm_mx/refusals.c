// SPDX-License-Identifier: MIT
// wt_gemm_mx refuses every kind of wrong argument with its own status and a sentence that names argument and
// value; nothing is launched and no memory changes.
#include <math.h>

#include "refusal.h"

enum { M = 4, N = 3, K = 64 };

typedef struct gemm_mx_call {
  wt_gemm_mx_desc desc;
  void *a, *b, *c;
  uint8_t *a_scale, *b_scale;
} gemm_mx_call;

static wt_status multiply(const void *arguments) {
  const gemm_mx_call *c = arguments;
  return wt_gemm_mx(refusal_context, &c->desc, c->a, c->a_scale, c->b, c->b_scale, c->c, NULL);
}

static wt_status choose(const void *arguments) {
  const gemm_mx_call *c = arguments;
  const char *name = "";
  const wt_status status = wt_gemm_mx_chosen(refusal_context, &c->desc, &name);
  CHECK((name == NULL) == (status != WT_SUCCESS), "status %d comes with a name or without", (int)status);
  return status;
}

// Returns parts of the arena, 1 KB apart, and where it ends.
static void *part(int i) { return refusal_arena + i * 1024; }
static char *arena_end(void) { return (char *)refusal_arena + REFUSAL_BYTES; }

static gemm_mx_call good_call(void) {
  gemm_mx_call good = {.desc = WT_GEMM_MX_DESC_INIT,
                       .a = part(0),
                       .b = part(1),
                       .c = part(2),
                       .a_scale = part(3),
                       .b_scale = part(4)};
  good.desc.m = M, good.desc.n = N, good.desc.k = K;
  good.desc.type_a = good.desc.type_b = WT_TYPE_F4E2M1, good.desc.type_c = WT_TYPE_F32;
  return good;
}

static void test_gfx950(void) {
  gemm_mx_call good = good_call();
  REFUSED(multiply, good, desc.struct_size = 1, WT_ERROR_STRUCT_SIZE, "struct_size is 1",
          "WT_GEMM_MX_DESC_INIT");
  REFUSED(multiply, good, desc.m = 0, WT_ERROR_SIZE, "desc->m is 0");
  REFUSED(multiply, good, desc.n = -1, WT_ERROR_SIZE, "desc->n is -1");
  REFUSED(multiply, good, desc.k = 48, WT_ERROR_SIZE, "desc->k is 48", "multiple of 32");
  REFUSED(multiply, good, desc.type_a = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_a is WT_TYPE_F16",
          "WT_TYPE_F8E4M3, WT_TYPE_F8E5M2, WT_TYPE_F6E2M3, WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1",
          "or without WT_TYPE_BF16");
  REFUSED(multiply, good, desc.type_a = WT_TYPE_F8E5M2, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_b is WT_TYPE_F4E2M1", "type_a WT_TYPE_F8E5M2", "must be WT_TYPE_F8E4M3");
  REFUSED(multiply, good, desc.type_b = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_b is WT_TYPE_F8E4M3", "type_a WT_TYPE_F4E2M1", "must be WT_TYPE_F4E2M1");
  REFUSED(multiply, good, desc.type_c = WT_TYPE_I32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_c is WT_TYPE_I32",
          "WT_TYPE_BF16");
  REFUSED(multiply, good, desc.alpha = INFINITY, WT_ERROR_VALUE, "alpha is inf");
  REFUSED(multiply, good, desc.beta = NAN, WT_ERROR_VALUE, "beta is");
  REFUSED(multiply, good, desc.activation = (wt_activation)4, WT_ERROR_VALUE, "desc->activation is 4");
  REFUSED(multiply, good, desc.a_row_bytes = 31, WT_ERROR_LEADING_DIMENSION, "desc->a_row_bytes is 31",
          "32 bytes");
  REFUSED(multiply, good, desc.b_row_bytes = 31, WT_ERROR_LEADING_DIMENSION, "desc->b_row_bytes is 31",
          "32 bytes");
  REFUSED(multiply, good, desc.a_scale_row_bytes = 1, WT_ERROR_LEADING_DIMENSION,
          "desc->a_scale_row_bytes is 1", "2 bytes");
  REFUSED(multiply, good, desc.b_scale_row_bytes = 1, WT_ERROR_LEADING_DIMENSION,
          "desc->b_scale_row_bytes is 1", "2 bytes");
  REFUSED(multiply, good, desc.scale_layout = (wt_scale_layout)2, WT_ERROR_VALUE, "desc->scale_layout is 2",
          "WT_SCALES_SHUFFLED (1)");
  REFUSED(choose, good, desc.scale_layout = (wt_scale_layout)-1, WT_ERROR_VALUE, "desc->scale_layout is -1");
  REFUSED(multiply, good, desc.batch = -1, WT_ERROR_SIZE, "desc->batch is -1");
  REFUSED(multiply, good, desc.split_k = -1, WT_ERROR_VALUE, "desc->split_k is -1", "up to 1024");
  REFUSED(multiply, good, desc.split_k = 1025, WT_ERROR_VALUE, "desc->split_k is 1025", "up to 1024");
  REFUSED(multiply, good, desc.ldc = 2, WT_ERROR_LEADING_DIMENSION, "desc->ldc is 2", "3 elements");
  REFUSED(multiply, good, a = NULL, WT_ERROR_NULL_ARGUMENT, "a is NULL");
  REFUSED(multiply, good, a_scale = NULL, WT_ERROR_NULL_ARGUMENT, "a_scale is NULL");
  REFUSED(multiply, good, b = NULL, WT_ERROR_NULL_ARGUMENT, "b is NULL");
  REFUSED(multiply, good, b_scale = NULL, WT_ERROR_NULL_ARGUMENT, "b_scale is NULL");
  REFUSED(multiply, good, c = NULL, WT_ERROR_NULL_ARGUMENT, "c is NULL");
  REFUSED(multiply, good, c = (char *)part(2) + 1, WT_ERROR_MISALIGNED, "c is 0x", "4 bytes");
  REFUSED(multiply, good, a = arena_end() - 127, WT_ERROR_BUFFER, "a needs 128 bytes", "127");
  REFUSED(multiply, good, a_scale = (uint8_t *)arena_end() - 7, WT_ERROR_BUFFER, "a_scale needs 8 bytes",
          "7");
  REFUSED(multiply, good, b_scale = (uint8_t *)arena_end() - 5, WT_ERROR_BUFFER, "b_scale needs 6 bytes",
          "5");
  REFUSED(multiply, good, c = part(0), WT_ERROR_OVERLAP, "c (0x", "overlaps a");
  REFUSED(multiply, good, desc.bias = part(2), WT_ERROR_OVERLAP, "c (0x", "overlaps desc->bias");
  REFUSED(choose, good, desc.k = 0, WT_ERROR_SIZE, "desc->k is 0");
  refusal_accepted("a good call", multiply, &good);
}

static void test_shuffled_scales(void) {
  gemm_mx_call good = good_call();
  good.desc.scale_layout = WT_SCALES_SHUFFLED;  // a group for all rows of A, and one for those of B
  REFUSED(multiply, good, desc.a_scale_row_bytes = 255, WT_ERROR_LEADING_DIMENSION,
          "desc->a_scale_row_bytes is 255", "multiple of 16");
  REFUSED(multiply, good, desc.b_scale_row_bytes = 240, WT_ERROR_LEADING_DIMENSION,
          "desc->b_scale_row_bytes is 240", "256 bytes");
  REFUSED(multiply, good, a_scale = (uint8_t *)part(3) + 4, WT_ERROR_MISALIGNED, "a_scale is 0x", "16 bytes");
  REFUSED(multiply, good, b_scale = (uint8_t *)arena_end() - 240, WT_ERROR_BUFFER, "b_scale needs 256 bytes",
          "240");
  refusal_accepted("shuffled scales", multiply, &good);
}

static void test_a_without_scales(void) {
  gemm_mx_call good = good_call();
  good.desc.type_a = WT_TYPE_BF16, good.a_scale = NULL;
  REFUSED(multiply, good, a_scale = part(3), WT_ERROR_VALUE, "a_scale is 0x", "WT_TYPE_BF16 has no scales",
          "pass NULL");
  REFUSED(multiply, good, desc.a_scale_row_bytes = 2, WT_ERROR_VALUE, "desc->a_scale_row_bytes is 2",
          "pass 0");
  REFUSED(choose, good, desc.a_scale_stride_bytes = 64, WT_ERROR_VALUE, "desc->a_scale_stride_bytes is 64",
          "pass 0");
  REFUSED(choose, good, desc.scale_layout = WT_SCALES_SHUFFLED, WT_ERROR_VALUE, "desc->scale_layout is",
          "WT_SCALES_BY_ROWS (0)");
  REFUSED(choose, good, desc.type_b = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_b is WT_TYPE_F8E4M3", "type_a WT_TYPE_BF16", "must be WT_TYPE_F4E2M1");
  REFUSED(multiply, good, desc.a_row_bytes = 127, WT_ERROR_LEADING_DIMENSION, "desc->a_row_bytes is 127",
          "128 bytes");
  REFUSED(multiply, good, a = arena_end() - 511, WT_ERROR_BUFFER, "a needs 512 bytes", "511");
  refusal_accepted("A of BF16 without scales", multiply, &good);
}

static void test_shuffled_weights(void) {
  gemm_mx_call good = good_call();
  good.desc.n = 16, good.desc.b_layout = WT_WEIGHTS_SHUFFLED;
  REFUSED(multiply, good, desc.b_layout = (wt_weight_layout)2, WT_ERROR_VALUE, "desc->b_layout is 2",
          "WT_WEIGHTS_SHUFFLED (1)");
  REFUSED(multiply, good, desc.n = 24, WT_ERROR_SIZE, "desc->n is 24", "multiple of 16");
  REFUSED(multiply, good, desc.b_row_bytes = 40, WT_ERROR_LEADING_DIMENSION, "desc->b_row_bytes is 40",
          "multiple of 16");
  REFUSED(multiply, good, b = (char *)part(1) + 8, WT_ERROR_MISALIGNED, "b is 0x", "16 bytes");
  REFUSED(multiply, good, b = arena_end() - 496, WT_ERROR_BUFFER, "b needs 512 bytes", "496");
  refusal_accepted("shuffled weights", multiply, &good);
  good.desc.type_a = good.desc.type_b = WT_TYPE_F6E2M3, good.desc.k = 96;
  REFUSED(multiply, good, desc.k = 96, WT_ERROR_SIZE, "rows of 72 bytes", "multiple of 16");
}

// A and B have 2 KB each, in parts of 4 KB. Two parts of K need 128 bytes: rows of four sums.
static void test_split_and_batch(void) {
  gemm_mx_call good = good_call();
  good.desc.k = 1024, good.desc.split_k = 2, good.desc.type_a = good.desc.type_b = WT_TYPE_F4E2M1;
  good.a = part(0), good.b = part(4), good.c = part(8), good.a_scale = part(12), good.b_scale = part(14);
  good.desc.workspace = part(10), good.desc.workspace_bytes = 128;
  size_t bytes = 0;
  CHECK(wt_gemm_mx_workspace_size(refusal_context, &good.desc, &bytes) == WT_SUCCESS && bytes == 128,
        "the workspace has %zu bytes", bytes);
  CHECK(wt_gemm_mx_workspace_size(refusal_context, &good.desc, NULL) == WT_ERROR_NULL_ARGUMENT,
        "no place for the size");
  REFUSED(multiply, good, desc.workspace_bytes = 127, WT_ERROR_BUFFER, "split_k 2 needs 128 bytes",
          "desc->workspace_bytes is 127", "split_k 1");
  REFUSED(multiply, good, desc.workspace = (char *)part(10) + 8, WT_ERROR_MISALIGNED, "desc->workspace is 0x",
          "16 bytes");
  REFUSED(multiply, good, desc.workspace = part(8), WT_ERROR_OVERLAP, "overlaps desc->workspace");
  refusal_accepted("two parts of K", multiply, &good);
  CHECK(wt_context_set_workspace_limit(refusal_context, 100) == WT_SUCCESS, "no limit");
  REFUSED(multiply, good, desc.workspace = NULL, WT_ERROR_BUFFER, "desc->workspace is NULL",
          "the context has 100");
  good.desc.workspace = NULL, good.desc.split_k = 0;
  refusal_accepted("a split that the library may choose without memory for it", multiply, &good);
  CHECK(wt_context_set_workspace_limit(refusal_context, WT_WORKSPACE_LIMIT_DEFAULT) == WT_SUCCESS,
        "no limit");

  good = good_call();
  good.desc.batch = 2, good.desc.c_stride = 12;
  REFUSED(multiply, good, desc.c_scale_stride_bytes = 1, WT_ERROR_VALUE, "desc->c_scale_stride_bytes is set",
          "has no scales");
  REFUSED(multiply, good, desc.a_stride_bytes = -1, WT_ERROR_STRIDE, "desc->a_stride_bytes is -1",
          "0 or a positive");
  REFUSED(multiply, good, desc.b_scale_stride_bytes = INT64_MAX, WT_ERROR_SIZE,
          "desc->b_scale_stride_bytes is 92233720", "b_scale spans");
  REFUSED(multiply, good, desc.c_stride = 11, WT_ERROR_STRIDE, "desc->c_stride is 11",
          "the 2 outputs overlap", "at least 12");
  REFUSED(multiply, good, desc.c_stride = (REFUSAL_BYTES - 2048) / 4, WT_ERROR_BUFFER, "c needs");
  refusal_accepted("two members with one A and B", multiply, &good);
  good.desc.batch = 1, good.desc.n = 16, good.desc.b_layout = WT_WEIGHTS_SHUFFLED;
  REFUSED(multiply, good, desc.b_row_bytes = INT64_C(1) << 59, WT_ERROR_SIZE,
          "desc->b_row_bytes is 576460752303423488", "16 rows of b", "a smaller one");
}

static void test_gfx942(void) {
  gemm_mx_call good = good_call();
  REFUSED(multiply, good, desc.ldc = 0, WT_ERROR_UNSUPPORTED_TARGET, "gfx942", "gfx950", "wt_gemm");
}

// Tests C in an MX format: 4 rows of a block of 32 bytes, each with a scale.
static void test_blocks_of_c(void) {
  gemm_mx_call good = good_call();
  REFUSED(multiply, good, desc.c_scale = part(5), WT_ERROR_VALUE, "desc->c_scale is set", "WT_TYPE_F32",
          "WT_TYPE_F8E4M3");
  REFUSED(multiply, good, desc.c_row_bytes = 32, WT_ERROR_VALUE, "desc->c_row_bytes is set");
  REFUSED(multiply, good, desc.c_scale_row_bytes = 32, WT_ERROR_VALUE, "desc->c_scale_row_bytes is set");
  REFUSED(multiply, good, desc.c_stride_bytes = 48, WT_ERROR_VALUE, "desc->c_stride_bytes is set");
  REFUSED(choose, good, desc.c_rounding = WT_SCALE_CEIL, WT_ERROR_VALUE, "desc->c_rounding is set");
  REFUSED(choose, good, desc.type_c = WT_TYPE_F6E2M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_c is WT_TYPE_F6E2M3", "WT_TYPE_F8E4M3 or WT_TYPE_F4E2M1");
  good.desc.type_c = WT_TYPE_F8E4M3, good.desc.n = 32, good.desc.c_scale = part(5);
  REFUSED(multiply, good, desc.c_scale = NULL, WT_ERROR_NULL_ARGUMENT, "desc->c_scale is NULL",
          "WT_TYPE_F8E4M3");
  REFUSED(multiply, good, desc.n = 48, WT_ERROR_SIZE, "desc->n is 48", "multiple of 32");
  REFUSED(multiply, good, desc.split_k = 2, WT_ERROR_VALUE, "desc->split_k is 2", "pass 0 or 1");
  REFUSED(multiply, good, desc.beta = 0.5f, WT_ERROR_VALUE, "desc->beta is 0.5", "pass 0");
  REFUSED(multiply, good, desc.beta = NAN, WT_ERROR_VALUE, "beta is");
  REFUSED(multiply, good, desc.ldc = 32, WT_ERROR_LEADING_DIMENSION, "desc->ldc is 32", "c_row_bytes");
  REFUSED(multiply, good, desc.c_stride = 96, WT_ERROR_STRIDE, "desc->c_stride is 96", "c_stride_bytes");
  REFUSED(multiply, good, desc.c_rounding = (wt_scale_rounding)4, WT_ERROR_VALUE, "desc->c_rounding is 4",
          "WT_SCALE_CEIL (3)");
  REFUSED(multiply, good, desc.c_row_bytes = 31, WT_ERROR_LEADING_DIMENSION, "desc->c_row_bytes is 31",
          "32 bytes");
  REFUSED(multiply, good, desc.c_scale_row_bytes = -1, WT_ERROR_LEADING_DIMENSION,
          "desc->c_scale_row_bytes is -1", "1 bytes");
  REFUSED(multiply, good, c = NULL, WT_ERROR_NULL_ARGUMENT, "c is NULL");
  REFUSED(multiply, good, c = arena_end() - 127, WT_ERROR_BUFFER, "c needs 128 bytes", "127");
  REFUSED(multiply, good, desc.c_scale = (uint8_t *)arena_end() - 3, WT_ERROR_BUFFER,
          "desc->c_scale needs 4 bytes", "3");
  REFUSED(multiply, good, desc.c_scale = (uint8_t *)part(2) + 127, WT_ERROR_OVERLAP, "c (0x",
          "overlaps desc->c_scale");
  REFUSED(multiply, good, desc.c_scale = part(3), WT_ERROR_OVERLAP, "desc->c_scale (0x", "overlaps a_scale");
  REFUSED(multiply, good, c = part(0), WT_ERROR_OVERLAP, "c (0x", "overlaps a");
  refusal_accepted("C in MXFP8", multiply, &good);
  good.desc.type_c = WT_TYPE_F4E2M1, good.c = (char *)part(2) + 1, good.desc.c_scale = (uint8_t *)part(5) + 1;
  REFUSED(multiply, good, desc.c_row_bytes = 15, WT_ERROR_LEADING_DIMENSION, "desc->c_row_bytes is 15",
          "16 bytes");
  refusal_accepted("C in MXFP4 at any address", multiply, &good);
}

int main(void) {
  refusal_begin(0);
  test_gfx950();
  test_shuffled_scales();
  test_a_without_scales();
  test_shuffled_weights();
  test_blocks_of_c();
  test_split_and_batch();
  refusal_end();
  refusal_begin(1);
  test_gfx942();
  refusal_end();
  return test_result();
}
