// SPDX-License-Identifier: MIT
// wt_gemm_block refuses every kind of wrong argument with its own status and a sentence that names argument
// and value; nothing is launched and no memory changes.
#include <math.h>

#include "refusal.h"

enum { M = 4, N = 130, K = 200 };

typedef struct gemm_block_call {
  wt_gemm_block_desc desc;
  void *a, *b, *c;
  float *a_scale, *b_scale;
} gemm_block_call;

static wt_status multiply(const void *arguments) {
  const gemm_block_call *c = arguments;
  return wt_gemm_block(refusal_context, &c->desc, c->a, c->a_scale, c->b, c->b_scale, c->c, NULL);
}

static wt_status choose(const void *arguments) {
  const gemm_block_call *c = arguments;
  const char *name = "";
  const wt_status status = wt_gemm_block_chosen(refusal_context, &c->desc, &name);
  CHECK((name == NULL) == (status != WT_SUCCESS), "status %d comes with a name or without", (int)status);
  return status;
}

// Names parts of the arena, and where it ends.
enum { PART_A = 0, PART_C = 1024, PART_A_SCALE = 4096, PART_B_SCALE = 5120, PART_B = 8192 };
static void *part(int at) { return refusal_arena + at; }
static char *arena_end(void) { return (char *)refusal_arena + REFUSAL_BYTES; }

static gemm_block_call good_call(wt_type type) {
  gemm_block_call good = {.desc = WT_GEMM_BLOCK_DESC_INIT,
                          .a = part(PART_A),
                          .b = part(PART_B),
                          .c = part(PART_C),
                          .a_scale = part(PART_A_SCALE),
                          .b_scale = part(PART_B_SCALE)};
  good.desc.m = M, good.desc.n = N, good.desc.k = K;
  good.desc.type_ab = type, good.desc.type_c = WT_TYPE_F32;
  return good;
}

static void test_chip(wt_type type, const char *name, wt_type other, const char *other_name) {
  gemm_block_call good = good_call(type);
  REFUSED(multiply, good, desc.struct_size = 1, WT_ERROR_STRUCT_SIZE, "struct_size is 1",
          "WT_GEMM_BLOCK_DESC_INIT");
  REFUSED(multiply, good, desc.m = 0, WT_ERROR_SIZE, "desc->m is 0");
  REFUSED(multiply, good, desc.n = -1, WT_ERROR_SIZE, "desc->n is -1");
  REFUSED(multiply, good, desc.k = 1ll << 31, WT_ERROR_SIZE, "desc->k is 2147483648");
  REFUSED(multiply, good, desc.type_ab = WT_TYPE_BF16, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_ab is WT_TYPE_BF16", name);
  REFUSED(multiply, good, desc.type_ab = other, WT_ERROR_UNSUPPORTED_TYPE, other_name, name);
  REFUSED(multiply, good, desc.type_c = WT_TYPE_I32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_c is WT_TYPE_I32",
          "WT_TYPE_BF16");
  REFUSED(multiply, good, desc.scales_of_b = (wt_scales_of_b)2, WT_ERROR_VALUE, "desc->scales_of_b is 2",
          "WT_SCALES_OF_B_");
  REFUSED(multiply, good, desc.scales = WT_BLOCK_SCALES_E8M0, WT_ERROR_VALUE, "desc->scales is 0",
          "WT_BLOCK_SCALES_POWER_OF_TWO (2), or use wt_gemm_mx");
  REFUSED(multiply, good, desc.scales = (wt_block_scales)3, WT_ERROR_VALUE, "desc->scales is 3");
  REFUSED(multiply, good, desc.alpha = INFINITY, WT_ERROR_VALUE, "alpha is inf");
  REFUSED(multiply, good, desc.beta = NAN, WT_ERROR_VALUE, "beta is");
  REFUSED(multiply, good, desc.activation = (wt_activation)4, WT_ERROR_VALUE, "desc->activation is 4");
  REFUSED(multiply, good, desc.lda = K - 1, WT_ERROR_LEADING_DIMENSION, "desc->lda is 199", "200 elements");
  REFUSED(multiply, good, desc.ldb = K - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldb is 199", "200 elements");
  REFUSED(multiply, good, desc.ldc = N - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldc is 129", "130 elements");
  REFUSED(multiply, good, desc.a_scale_row = 2, WT_ERROR_STRIDE, "desc->a_scale_row is 2", "a_scale_block 0");
  REFUSED(multiply, good, desc.a_scale_block = -1, WT_ERROR_STRIDE, "desc->a_scale_row is 0",
          "a_scale_block -1");
  REFUSED(multiply, good, desc.b_scale_row = 2, WT_ERROR_STRIDE, "desc->b_scale_row is 2", "b_scale_block 0");
  REFUSED(multiply, good, a = NULL, WT_ERROR_NULL_ARGUMENT, "a is NULL");
  REFUSED(multiply, good, a_scale = NULL, WT_ERROR_NULL_ARGUMENT, "a_scale is NULL");
  REFUSED(multiply, good, b = NULL, WT_ERROR_NULL_ARGUMENT, "b is NULL");
  REFUSED(multiply, good, b_scale = NULL, WT_ERROR_NULL_ARGUMENT, "b_scale is NULL");
  REFUSED(multiply, good, c = NULL, WT_ERROR_NULL_ARGUMENT, "c is NULL");
  REFUSED(multiply, good, c = (char *)part(PART_C) + 1, WT_ERROR_MISALIGNED, "c is 0x", "4 bytes");
  REFUSED(multiply, good, a_scale = (float *)(void *)((char *)part(PART_A_SCALE) + 2), WT_ERROR_MISALIGNED,
          "a_scale is 0x", "4 bytes");
  REFUSED(multiply, good, a = arena_end() - 799, WT_ERROR_BUFFER, "a needs 800 bytes", "799");
  REFUSED(multiply, good, a_scale = (float *)(void *)(arena_end() - 28), WT_ERROR_BUFFER,
          "a_scale needs 32 bytes", "28");
  REFUSED(multiply, good, b_scale = (float *)(void *)(arena_end() - 12), WT_ERROR_BUFFER,
          "b_scale needs 16 bytes", "12");
  REFUSED(multiply, good, c = part(PART_A), WT_ERROR_OVERLAP, "c (0x", "overlaps a");
  REFUSED(multiply, good, desc.bias = part(PART_C), WT_ERROR_OVERLAP, "c (0x", "overlaps desc->bias");
  REFUSED(choose, good, desc.k = 0, WT_ERROR_SIZE, "desc->k is 0");
  refusal_accepted("a good call", multiply, &good);
}

int main(void) {
  refusal_begin(0);
  test_chip(WT_TYPE_F8E4M3, "must be WT_TYPE_F8E4M3 on gfx950", WT_TYPE_F8E4M3_FNUZ, "WT_TYPE_F8E4M3_FNUZ");
  refusal_end();
  refusal_begin(1);
  test_chip(WT_TYPE_F8E4M3_FNUZ, "must be WT_TYPE_F8E4M3_FNUZ on gfx942", WT_TYPE_F8E4M3, "WT_TYPE_F8E4M3 ");
  refusal_end();
  return test_result();
}
