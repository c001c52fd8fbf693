// SPDX-License-Identifier: MIT
// Computes the forward pass.
#include "transformer.h"

wt_attention_desc attention_desc(void) {
  wt_attention_desc d = WT_ATTENTION_DESC_INIT;
  d.type = WT_TYPE_F16;
  d.head_dim = HEAD_DIM;
  d.batch = SEQUENCES;
  d.heads = HEADS;
  d.kv_heads = KV_HEADS;
  d.queries = LENGTH;
  d.causal = 1;
  // Q, K and V stand side by side in the rows of qkv.
  const wt_attention_strides side_by_side = {.batch = LENGTH * QKV, .row = QKV, .head = HEAD_DIM};
  d.strides_q = d.strides_k = d.strides_v = side_by_side;
  d.strides_dq = d.strides_dk = d.strides_dv = side_by_side;
  return d;
}

wt_rotary_desc rotary_desc(void) {
  wt_rotary_desc d = WT_ROTARY_DESC_INIT;
  d.batch = SEQUENCES;
  d.rows = LENGTH;
  d.heads = HEADS + KV_HEADS;  // those of Q and K
  d.head_dim = HEAD_DIM;
  d.type = WT_TYPE_F16;
  d.strides_in = (wt_rotary_strides){.batch = LENGTH * QKV, .row = QKV, .head = HEAD_DIM};
  d.strides_out = d.strides_in;
  return d;
}

wt_activation_desc activation_desc(void) {
  wt_activation_desc d = WT_ACTIVATION_DESC_INIT;
  d.rows = ROWS;
  d.columns = HIDDEN;
  d.type = WT_TYPE_F16;
  d.activation = WT_ACTIVATION_SILU;
  d.ldx = d.ldgate = d.lddx = d.lddgate = 2 * HIDDEN;  // the gate and what it gates, side by side
  return d;
}

// sum = x + residual, y = norm(sum); without a residual sum is x, and `sum` NULL.
static void norm(transformer *t, const tensor *x, const tensor *residual, const tensor *weight,
                 const tensor *sum, const tensor *y, const tensor *rstd) {
  wt_norm_desc d = WT_NORM_DESC_INIT;
  d.rows = ROWS;
  d.columns = WIDTH;
  d.kind = WT_NORM_RMS;
  d.type = WT_TYPE_F16;
  d.weight = weight->data;
  d.rstd = rstd->data;
  if (residual) d.residual = residual->data, d.sum = sum->data;
  must(t, wt_norm(t->context, &d, x->data, y->data, NULL));
}

void forward(transformer *t) {
  norm(t, T(t, x0), NULL, T(t, norm1), NULL, T(t, h1), T(t, rstd1));
  multiply(t, T(t, h1), 0, T(t, wqkv), 0, T(t, qkv));
  _Float16 *q = T(t, qkv)->data, *k = q + HEADS * HEAD_DIM, *v = k + KV_HEADS * HEAD_DIM;
  const wt_rotary_desc rotary = rotary_desc();
  must(t, wt_rotary(t->context, &rotary, q, q, NULL));
  const wt_attention_desc attention = attention_desc();
  must(t, wt_attention_forward(t->context, &attention, q, k, v, T(t, o)->data, T(t, lse)->data, NULL));
  multiply(t, T(t, o), 0, T(t, wo), 0, T(t, add1));

  norm(t, T(t, add1), T(t, x0), T(t, norm2), T(t, x1), T(t, h2), T(t, rstd2));
  multiply(t, T(t, h2), 0, T(t, wgu), 0, T(t, gu));
  _Float16 *gate = T(t, gu)->data, *up = gate + HIDDEN;
  const wt_activation_desc activation = activation_desc();
  must(t, wt_activate(t->context, &activation, up, gate, T(t, a)->data, NULL));
  multiply(t, T(t, a), 0, T(t, wd), 0, T(t, add2));

  norm(t, T(t, add2), T(t, x1), T(t, norm3), T(t, x2), T(t, h3), T(t, rstd3));
  multiply(t, T(t, h3), 0, T(t, wout), 0, T(t, logits));
  wt_cross_entropy_desc loss = WT_CROSS_ENTROPY_DESC_INIT;
  loss.rows = ROWS;
  loss.columns = VOCABULARY;
  loss.type = WT_TYPE_F16;
  loss.reduction = WT_REDUCTION_MEAN;
  loss.total = T(t, loss)->data;
  loss.grad_scale = LOSS_SCALE;
  must(t, wt_cross_entropy(t->context, &loss, T(t, logits)->data, T(t, next)->data, T(t, losses)->data,
                           T(t, dlogits)->data, NULL));
}
