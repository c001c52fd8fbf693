// SPDX-License-Identifier: MIT
// This predicts a layer of experts, or its two grouped products alone, which stream the weights of the
// experts that tokens chose. Every pair of a token and a slot has the next expert, so that few tokens choose
// different ones, and many share the experts out evenly.
#include <stdlib.h>

#include "core/tool.h"
#include "predict.h"

// This has the sizes of a layer, and the format of its weights and of what is multiplied with them.
typedef struct layer {
  int64_t tokens, experts, hidden, inner, shared, top_k, pairs;
  wt_type type;
  int bits;
} layer;

static int read_layer(const predict_run *run, layer *l) {
  const predict_shape *s = &run->call->shape;
  if (s->sizes != 4) return predict_refuse_sizes(run, "tokens x experts x hidden x inner");
  *l = (layer){.tokens = s->size[0], .experts = s->size[1], .hidden = s->size[2], .inner = s->size[3]};
  l->top_k = predict_option(s, "top_k", 1);
  l->shared = predict_option(s, "shared", 0);
  l->pairs = l->tokens * l->top_k;
  l->bits = predict_mx_type(run->call->type, &l->type);
  if (!l->bits)
    return tool_error(TOOL_USAGE, "\"%s\" is no MX type; pass f4e2m1, f6e2m3, f6e3m2 or f8e4m3",
                      run->call->type);
  return TOOL_OK;
}

// These return the bytes of so many packed elements, and of their scales.
static double element_bytes(const layer *l, double elements) { return elements * l->bits / 8; }
static double scale_bytes(double elements) { return elements / WT_BLOCK_ELEMENTS; }

// Makes one grouped product of n x k matrices, as a layer of experts does.
static void multiply(predict_run *run, const layer *l, int64_t n, int64_t k, const int32_t *offsets) {
  const double of_x = (double)l->pairs * (double)k, of_w = (double)l->experts * (double)n * (double)k;
  wt_grouped_desc d = WT_GROUPED_DESC_INIT;
  d.groups = l->experts, d.m = l->pairs, d.n = n, d.k = k;
  d.type_x = d.type_w = l->type, d.type_y = WT_TYPE_BF16;
  const void *x = predict_memory(run, element_bytes(l, of_x)),
             *w = predict_memory(run, element_bytes(l, of_w));
  d.x_scale = predict_scales_of_1(run, scale_bytes(of_x));
  d.w_scale = predict_scales_of_1(run, scale_bytes(of_w));
  void *y = predict_memory(run, 2.0 * (double)l->pairs * (double)n);
  const double chosen = (double)(l->pairs < l->experts ? l->pairs : l->experts) * (double)n * (double)k;
  run->result->flops += 2 * of_x * (double)n;
  run->result->bytes += element_bytes(l, chosen) + scale_bytes(chosen);
  if (!run->code)
    run->code = predict_status(run, wt_grouped_forward(run->context, &d, x, w, y, offsets, NULL));
}

// ---- the two products

int predict_experts_products(predict_run *run) {
  layer l;
  const int code = read_layer(run, &l);
  if (code) return code;
  const int32_t *offsets = predict_offsets(run, l.experts, l.pairs);
  multiply(run, &l, 2 * l.inner, l.hidden, offsets);
  multiply(run, &l, l.hidden, l.inner, offsets);
  return run->code;
}

// ---- the layer

// A layer is not predicted on zeros: scales of what is quantised would be 0. These bytes are two numbers of 1
// in F4E2M1, and 0.75 in BF16.
enum { WEIGHT = 0x22, TOKEN = 0x3f };

static int32_t *deal_experts(predict_run *run, const layer *l) {
  int32_t *ids = malloc(sizeof *ids * (size_t)l->pairs);
  if (!ids) run->code = tool_error(TOOL_FAILED, "out of host memory for the experts of tokens");
  for (int64_t i = 0; i < l->pairs && ids; ++i) ids[i] = (int32_t)(i % l->experts);
  int32_t *device = predict_copied(run, ids, sizeof *ids * (double)l->pairs);
  free(ids);
  return device;
}

// Makes the matrices of so many networks, with their scales.
static void make_networks(predict_run *run, const layer *l, double networks, double inner, const void *w[2],
                          const void *scales[2]) {
  for (int i = 0; i < 2; ++i) {
    const double elements = networks * inner * (double)l->hidden * (i ? 1 : 2);
    w[i] = predict_filled(run, element_bytes(l, elements), WEIGHT);
    scales[i] = predict_scales_of_1(run, scale_bytes(elements));
    run->result->bytes += element_bytes(l, elements) + scale_bytes(elements);
  }
}

int predict_experts_layer(predict_run *run) {
  layer l;
  const int code = read_layer(run, &l);
  if (code) return code;
  const double tokens = (double)l.tokens, hidden = (double)l.hidden, inner = (double)l.inner,
               shared = (double)l.shared, pairs = (double)l.pairs;
  const void *w[2], *scales[2], *of_all[2] = {NULL}, *of_all_scales[2] = {NULL};
  run->result->flops = 2 * 3 * hidden * (pairs * inner + tokens * shared);
  run->result->bytes = 2 * tokens * hidden * 2;  // x and y
  make_networks(run, &l, (double)l.experts, inner, w, scales);
  if (l.shared) make_networks(run, &l, 1, shared, of_all, of_all_scales);
  wt_experts_desc d = WT_EXPERTS_DESC_INIT;
  d.tokens = l.tokens, d.experts = l.experts, d.top_k = l.top_k, d.hidden = l.hidden, d.inner = l.inner;
  d.type = WT_TYPE_BF16, d.type_w = l.type;
  d.gate_up_scale = scales[0], d.down_scale = scales[1];
  d.shared_inner = l.shared, d.shared_gate_up = of_all[0], d.shared_down = of_all[1];
  d.shared_gate_up_scale = of_all_scales[0], d.shared_down_scale = of_all_scales[1];
  const void *x = predict_filled(run, 2 * tokens * hidden, TOKEN);
  void *y = predict_memory(run, 2 * tokens * hidden);
  const int32_t *ids = deal_experts(run, &l);
  const float *weights = predict_memory(run, 4 * pairs);
  if (!run->code)
    run->code = predict_status(run, wt_experts_workspace_size(run->context, &d, &d.workspace_bytes));
  // Scales that are not computed, as only a part of their launch is executed, are 1.
  d.workspace = predict_scales_of_1(run, (double)d.workspace_bytes);
  return predict_status(
      run,
      run->code ? WT_SUCCESS : wt_experts_forward(run->context, &d, x, w[0], w[1], ids, weights, y, NULL));
}
