// SPDX-License-Identifier: MIT
// This predicts the two grouped products of a layer of experts, which stream the weights of the experts that
// tokens chose. Every pair of a token and a slot has the next expert, so that few tokens choose different
// ones.
#include "core/tool.h"
#include "predict.h"

// This has the sizes of a layer, and the format of its weights and of what is multiplied with them.
typedef struct layer {
  int64_t tokens, experts, hidden, inner, top_k, pairs;
  wt_type type;
  int bits;
} layer;

static int read_layer(const predict_run *run, layer *l) {
  const predict_shape *s = &run->call->shape;
  if (s->sizes != 4) return predict_refuse_sizes(run, "tokens x experts x hidden x inner");
  *l = (layer){.tokens = s->size[0], .experts = s->size[1], .hidden = s->size[2], .inner = s->size[3]};
  l->top_k = predict_option(s, "top_k", 1);
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

int predict_experts(predict_run *run) {
  layer l;
  const int code = read_layer(run, &l);
  if (code) return code;
  const int32_t *offsets = predict_offsets(run, l.experts, l.pairs);
  multiply(run, &l, 2 * l.inner, l.hidden, offsets);
  multiply(run, &l, l.hidden, l.inner, offsets);
  return run->code;
}
