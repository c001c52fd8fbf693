// SPDX-License-Identifier: MIT
// Attention, forward and backward. Part of wavetile.h; C11 and C++.
#ifndef WAVETILE_ATTENTION_H
#define WAVETILE_ATTENTION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Elements from one batch member, row and head to the next, each a multiple of 16 bytes. 0: as in packed
// [batch][row][head][d], that is rows * heads * d, heads * d and d.
typedef struct wt_attention_strides {
  int64_t batch, row, head;
} wt_attention_strides;

// For each batch member and each of `heads` heads,
//   O = softmax(softmax_scale * Q K^T) V     rows of Q and O: queries, rows of K and V: keys
// where K and V have kv_heads heads, and heads / kv_heads heads of Q in turn share one (GQA, MQA).
//
// Positions are aligned at the end: query r of `queries` stands at p = r + keys - queries, among keys that
// stand at 0 to keys - 1. With `causal` it sees the keys up to p, with `window` only those at distances below
// it: |p - key| < window. A query that sees no key has a row of zeros in O, and an LSE of minus infinity.
//
// Packed batches of different lengths: the rows of all sequences follow each other, and q_offsets and
// k_offsets say where. Then `queries` and `keys` are the largest lengths, strides.batch is not used, and
// positions are aligned at each sequence's own end.
//
// Sums are f32, and so is the softmax; O is rounded once, to nearest even. P, as a factor of V, is rounded to
// the type of V, and relative to a maximum that may lag behind: so an error of O is relative to the largest
// |V|, not to |O|.
//
// Start from WT_ATTENTION_DESC_INIT and fill in the sizes and the type.
typedef struct wt_attention_desc {
  size_t struct_size;     // sizeof(wt_attention_desc)
  wt_type type;           // of all tensors: BF16 or F16. On gfx950 also F8E4M3, forward only, with O in BF16
  int32_t head_dim;       // of Q and K: 64 or 128
  int32_t value_dim;      // of V and O: the same. 0: the same
  int64_t batch;          // default 1
  int64_t heads;          // of Q and O. Default 1
  int64_t kv_heads;       // of K and V; divides heads. 0 (default): as many
  int64_t queries;        // of each batch member
  int64_t keys;           // 0 (default): as many as queries
  int32_t causal;         // 1: no key beyond the query's position. Default 0
  int32_t deterministic;  // 1: the backward pass gives the same bits every time. Default 0
  int64_t window;         // see above; 0 (default): none
  float softmax_scale;    // positive; 0 (default): 1 / sqrt(head_dim)
  float scale_q, scale_k, scale_v;  // positive: what one unit of Q, K and V stands for. Default 1
  wt_attention_strides strides_q, strides_k, strides_v, strides_o;
  // Of the gradients, for the backward pass.
  wt_attention_strides strides_dout, strides_dq, strides_dk, strides_dv;
  // Memory of the device, batch + 1 row numbers each, of which the first is 0 and none is less than the one
  // before: sequence i has rows offsets[i] to offsets[i + 1] - 1. What they hold is not checked. Both, or
  // NULL (default): not packed.
  const int32_t *q_offsets, *k_offsets;
  int64_t total_queries, total_keys;  // rows of the packed tensors; the last offsets are not larger
  void *workspace;         // memory of the device for the backward pass, aligned to 16 bytes. Two calls that
                           // may run at the same time need two
  size_t workspace_bytes;  // of it; at least what wt_attention_backward_workspace_size says
} wt_attention_desc;

#ifdef __cplusplus
#define WT_ATTENTION_DESC_INIT (wt_attention_desc_init())
inline wt_attention_desc wt_attention_desc_init() {
  wt_attention_desc desc = wt_attention_desc();
  desc.struct_size = sizeof desc;
  desc.batch = desc.heads = 1;
  desc.scale_q = desc.scale_k = desc.scale_v = 1.0f;
  return desc;
}
#else
#define WT_ATTENTION_DESC_INIT                                   \
  ((wt_attention_desc){.struct_size = sizeof(wt_attention_desc), \
                       .batch = 1,                               \
                       .heads = 1,                               \
                       .scale_q = 1.0f,                          \
                       .scale_k = 1.0f,                          \
                       .scale_v = 1.0f})
#endif

// Enqueues the forward pass on `stream` (a hipStream_t; NULL is the default stream) and returns without
// waiting for it. lse, the logarithms of the sums of exponentials that the backward pass needs, is NULL or
// has [batch][heads][queries] floats, packed batches [heads][total_queries].
//
// All are memory of the context's device (or host memory it can access) from a HIP allocator, q, k, v and o
// aligned to 16 bytes; o and lse must not overlap anything else. The descriptor may be reused at once, the
// memory when the stream has passed.
WT_API WT_MUST_CHECK wt_status wt_attention_forward(wt_context *context, const wt_attention_desc *desc,
                                                    const void *q, const void *k, const void *v, void *o,
                                                    float *lse, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
