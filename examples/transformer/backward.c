// SPDX-License-Identifier: MIT
// The backward pass, from dlogits, which the forward pass leaves, to all parameters and x0.
#include "transformer.h"

// Computes, for y = x w^T, dx = dy w and dw = dy^T x.
static void product_backward(transformer *t, const tensor *dy, const tensor *x, const tensor *w,
                             const tensor *dx, const tensor *dw) {
  multiply(t, dy, 0, w, 1, dx);
  multiply(t, dy, 1, x, 1, dw);
}

// Computes dx, of the sum that was normed: from dy, through the norm, and from dsum, past it.
static void norm_backward(transformer *t, const tensor *dy, const tensor *dsum, const tensor *sum,
                          const tensor *weight, const tensor *rstd, const tensor *dx, const tensor *dweight) {
  wt_norm_backward_desc d = WT_NORM_BACKWARD_DESC_INIT;
  d.rows = ROWS;
  d.columns = WIDTH;
  d.kind = WT_NORM_RMS;
  d.type = WT_TYPE_F16;
  d.weight = weight->data;
  d.rstd = rstd->data;
  if (dsum) d.dsum = dsum->data;
  d.dweight = dweight->data;
  must(t, wt_norm_backward_workspace_size(t->context, &d, &d.workspace_bytes));
  d.workspace = workspace(t, d.workspace_bytes);
  must(t, wt_norm_backward(t->context, &d, dy->data, sum->data, dx->data, NULL));
}

static void attention_backward(transformer *t) {
  wt_attention_desc d = attention_desc();
  d.deterministic = 1;
  must(t, wt_attention_backward_workspace_size(t->context, &d, &d.workspace_bytes));
  d.workspace = workspace(t, d.workspace_bytes);
  const _Float16 *q = T(t, qkv)->data, *k = q + HEADS * HEAD_DIM, *v = k + KV_HEADS * HEAD_DIM;
  _Float16 *dq = T(t, dqkv)->data, *dk = dq + HEADS * HEAD_DIM, *dv = dk + KV_HEADS * HEAD_DIM;
  must(t, wt_attention_backward(t->context, &d, q, k, v, T(t, o)->data, T(t, lse)->data, T(t, dout)->data, dq,
                                dk, dv, NULL));
  wt_rotary_desc rotary = rotary_desc();
  rotary.inverse = 1;
  must(t, wt_rotary(t->context, &rotary, dq, dq, NULL));
}

void backward(transformer *t) {
  product_backward(t, T(t, dlogits), T(t, h3), T(t, wout), T(t, dh3), T(t, dwout));
  norm_backward(t, T(t, dh3), NULL, T(t, x2), T(t, norm3), T(t, rstd3), T(t, dx2), T(t, dnorm3));

  product_backward(t, T(t, dx2), T(t, a), T(t, wd), T(t, da), T(t, dwd));
  const _Float16 *gate = T(t, gu)->data, *up = gate + HIDDEN;
  _Float16 *dgate = T(t, dgu)->data, *dup = dgate + HIDDEN;
  const wt_activation_desc activation = activation_desc();
  must(t, wt_activate_backward(t->context, &activation, up, gate, T(t, da)->data, dup, dgate, NULL));
  product_backward(t, T(t, dgu), T(t, h2), T(t, wgu), T(t, dh2), T(t, dwgu));
  norm_backward(t, T(t, dh2), T(t, dx2), T(t, x1), T(t, norm2), T(t, rstd2), T(t, dx1), T(t, dnorm2));

  product_backward(t, T(t, dx1), T(t, o), T(t, wo), T(t, dout), T(t, dwo));
  attention_backward(t);
  product_backward(t, T(t, dqkv), T(t, h1), T(t, wqkv), T(t, dh1), T(t, dwqkv));
  norm_backward(t, T(t, dh1), T(t, dx1), T(t, x0), T(t, norm1), T(t, rstd1), T(t, dx0), T(t, dnorm1));
}
