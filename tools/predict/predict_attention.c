// SPDX-License-Identifier: MIT
// Predicts one wt_attention_forward or wt_attention_backward. The count of operations is the usual one: four
// for each query, key and element of the head, half of it when causal; two and a half times as many backward.
#include "predict.h"

typedef struct operands {
  wt_attention_desc desc;
  void *q, *k, *v, *o;
  float *lse;
  double of_queries, of_keys;  // elements of one tensor, with what lies behind rows
} operands;

static int make_operands(predict_run *run, operands *x) {
  const predict_shape *s = &run->call->shape;
  if (s->sizes != 4) return predict_refuse_sizes(run, "batch x heads x queries x head_dim");
  wt_attention_desc *d = &x->desc;
  *d = WT_ATTENTION_DESC_INIT;
  d->type = run->device_type;
  d->batch = s->size[0], d->heads = s->size[1], d->queries = s->size[2];
  d->keys = predict_option(s, "keys", s->size[2]);
  d->head_dim = (int32_t)s->size[3];
  d->kv_heads = predict_option(s, "kv_heads", s->size[1]);
  d->causal = predict_option(s, "causal", 0) > 0;
  d->waves = (int32_t)predict_option(s, "waves", 0);
  const int64_t pad = predict_option(s, "pad", 0);
  const double element = (double)run->type->size;
  const int64_t query_row = d->heads * d->head_dim + pad, key_row = d->kv_heads * d->head_dim + pad;
  d->strides_q.row = d->strides_o.row = d->strides_dq.row = d->strides_dout.row = query_row;
  d->strides_k.row = d->strides_v.row = d->strides_dk.row = d->strides_dv.row = key_row;
  d->strides_q.batch = d->strides_o.batch = d->strides_dq.batch = d->strides_dout.batch =
      query_row * d->queries;
  d->strides_k.batch = d->strides_v.batch = d->strides_dk.batch = d->strides_dv.batch = key_row * d->keys;
  x->of_queries = (double)(d->batch * d->strides_q.batch);
  x->of_keys = (double)(d->batch * d->strides_k.batch);
  x->q = predict_memory(run, x->of_queries * element);
  x->k = predict_memory(run, x->of_keys * element);
  x->v = predict_memory(run, x->of_keys * element);
  x->o = predict_memory(run, x->of_queries * 2);
  if (!predict_option(s, "no_lse", 0))
    x->lse = predict_memory(run, 4 * (double)(d->batch * d->heads * d->queries));
  const double of_head = (double)d->batch * (double)d->head_dim;
  const double queries = of_head * (double)(d->heads * d->queries);
  run->result->flops = 4 * queries * (double)d->keys / (d->causal ? 2 : 1);
  run->result->bytes = 2 * (queries + of_head * (double)(d->kv_heads * d->keys)) * element;
  return run->code;
}

int predict_attention_forward(predict_run *run) {
  operands x = {.lse = NULL};
  int code = make_operands(run, &x);
  if (code) return code;
  return predict_status(run, wt_attention_forward(run->context, &x.desc, x.q, x.k, x.v, x.o, x.lse, NULL));
}

int predict_attention_backward(predict_run *run) {
  operands x = {.lse = NULL};
  int code = make_operands(run, &x);
  if (code) return code;
  size_t workspace = 0;
  const double element = (double)run->type->size;
  wt_status status = wt_attention_backward_workspace_size(run->context, &x.desc, &workspace);
  if (status) return predict_status(run, status);
  if (workspace) x.desc.workspace = predict_memory(run, (double)workspace);
  x.desc.workspace_bytes = workspace;
  void *dout = predict_memory(run, x.of_queries * element), *dq = predict_memory(run, x.of_queries * element);
  void *dk = predict_memory(run, x.of_keys * element), *dv = predict_memory(run, x.of_keys * element);
  run->result->flops *= 2.5;
  run->result->bytes *= 2;
  if (run->code) return run->code;
  return predict_status(
      run, wt_attention_backward(run->context, &x.desc, x.q, x.k, x.v, x.o, x.lse, dout, dq, dk, dv, NULL));
}
