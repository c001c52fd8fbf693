// SPDX-License-Identifier: MIT
// Predicts one product with scales for blocks of K: wt_gemm_mx or wt_gemm_block.
#include <string.h>

#include "core/tool.h"
#include "predict.h"

// Describes the sizes of a product, and its memory but for the scales.
typedef struct product {
  double m, n, k;
  void *a, *b, *c;
} product;

// Makes the memory for A and B of `bits` bits an element and C of 16.
static int make_product(predict_run *run, double bits, product *p) {
  const predict_shape *s = &run->call->shape;
  if (s->sizes != 3) return predict_refuse_sizes(run, "m x n x k");
  *p = (product){.m = (double)s->size[0], .n = (double)s->size[1], .k = (double)s->size[2]};
  p->a = predict_memory(run, p->m * p->k * bits / 8);
  p->b = predict_memory(run, p->n * p->k * bits / 8);
  p->c = predict_memory(run, p->m * p->n * 2);
  run->result->flops = 2 * p->m * p->n * p->k;
  run->result->bytes = (p->m + p->n) * p->k * bits / 8 + p->m * p->n * 2;
  return run->code;
}

void *predict_scales_of_1(predict_run *run, double bytes) {
  enum { ONE = 127 };
  return predict_filled(run, bytes, ONE);
}

// Makes scales of 1 in either layout.
static void *make_scales(predict_run *run, int64_t rows, int64_t blocks) {
  return predict_scales_of_1(run, (double)wt_shuffled_scale_bytes(rows, blocks));
}

int predict_mx_type(const char *name, wt_type *type) {
  static const struct {
    const char *name;
    wt_type type;
    int bits;
  } types[] = {{"f4e2m1", WT_TYPE_F4E2M1, 4},
               {"f6e2m3", WT_TYPE_F6E2M3, 6},
               {"f6e3m2", WT_TYPE_F6E3M2, 6},
               {"f8e4m3", WT_TYPE_F8E4M3, 8}};
  *type = (wt_type)0;
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (strcmp(types[i].name, name) != 0) continue;
    *type = types[i].type;
    return types[i].bits;
  }
  return 0;
}

int predict_gemm_mx(predict_run *run) {
  wt_type type;
  const int bits = predict_mx_type(run->call->type, &type);
  if (!bits)
    return tool_error(TOOL_USAGE, "\"%s\" is no type of gemm_mx; pass f4e2m1, f6e2m3, f6e3m2 or f8e4m3",
                      run->call->type);
  product p = {0};
  const int code = make_product(run, bits, &p);
  if (code) return code;
  const predict_shape *s = &run->call->shape;
  const int64_t blocks = s->size[2] / WT_BLOCK_ELEMENTS;
  wt_gemm_mx_desc desc = WT_GEMM_MX_DESC_INIT;
  desc.m = s->size[0], desc.n = s->size[1], desc.k = s->size[2];
  desc.type_a = desc.type_b = type, desc.type_c = WT_TYPE_BF16;
  desc.scale_layout = predict_option(s, "shuffled", 0) ? WT_SCALES_SHUFFLED : WT_SCALES_BY_ROWS;
  desc.split_k = (int32_t)predict_option(s, "split", 0);
  void *a_scale = make_scales(run, desc.m, blocks), *b_scale = make_scales(run, desc.n, blocks);
  run->result->bytes += (p.m + p.n) * (double)blocks;
  return predict_status(
      run, run->code ? WT_SUCCESS : wt_gemm_mx(run->context, &desc, p.a, a_scale, p.b, b_scale, p.c, NULL));
}

int predict_gemm_block(predict_run *run) {
  product p = {0};
  const int code = make_product(run, 8, &p);
  if (code) return code;
  const predict_shape *s = &run->call->shape;
  const double blocks = (double)((s->size[2] + WT_F32_BLOCK_ELEMENTS - 1) / WT_F32_BLOCK_ELEMENTS);
  const bool of_rows = predict_option(s, "rows", 0) > 0;
  const int64_t n = s->size[1],
                b_rows = of_rows ? n : (n + WT_F32_BLOCK_ELEMENTS - 1) / WT_F32_BLOCK_ELEMENTS;
  wt_gemm_block_desc desc = WT_GEMM_BLOCK_DESC_INIT;
  desc.m = s->size[0], desc.n = s->size[1], desc.k = s->size[2];
  desc.type_ab = run->device_type, desc.type_c = WT_TYPE_BF16;
  desc.scales_of_b = of_rows ? WT_SCALES_OF_B_ROWS : WT_SCALES_OF_B_TILES;
  desc.scales = predict_option(s, "powers", 0) ? WT_BLOCK_SCALES_POWER_OF_TWO : WT_BLOCK_SCALES_F32;
  if (predict_option(s, "transposed", 0)) {
    desc.a_scale_row = desc.b_scale_row = 1;
    desc.a_scale_block = desc.m, desc.b_scale_block = b_rows;
  }
  float *a_scale = predict_memory(run, 4 * p.m * blocks),
        *b_scale = predict_memory(run, 4 * (double)b_rows * blocks);
  run->result->bytes += 4 * (p.m + (double)b_rows) * blocks;
  return predict_status(run, run->code
                                 ? WT_SUCCESS
                                 : wt_gemm_block(run->context, &desc, p.a, a_scale, p.b, b_scale, p.c, NULL));
}
