// SPDX-License-Identifier: MIT
// This is attention, forward and backward. The header is part of wavetile.h and serves C11 and C++.
#ifndef WAVETILE_ATTENTION_H
#define WAVETILE_ATTENTION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// These are the elements from one batch member, row and head to the next. 0 stands for packed
// [batch][row][head][d], that is rows * heads * d, heads * d and d. Any other strides are taken; the fastest
// are those that put rows at multiples of 16 bytes.
typedef struct wt_attention_strides {
  int64_t batch, row, head;
} wt_attention_strides;

// Describes, for each batch member and each of `heads` heads,
//   O = softmax(softmax_scale * Q K^T) V
// where the softmax has one score more for each head, its sink, if there are sinks: it is in the sum of the
// exponentials and has no row of V. The rows of Q and O are queries and the rows of K and V are keys. K and V
// have kv_heads heads, and each of them serves heads / kv_heads consecutive heads of Q (GQA, MQA).
//
// Positions are aligned at the end: query r of `queries` has position p = r + keys - queries, and the keys
// have positions 0 to keys - 1. With `causal` a query sees the keys up to p, with `window` only those at
// distances below it: |p - key| < window. A query that sees no key has a row of zeros in O, and as LSE the
// head's sink, or minus infinity without one.
//
// In packed batches of different lengths, the rows of all sequences follow each other, and q_offsets and
// k_offsets say where each begins. Then `queries` and `keys` are the largest lengths, strides.batch is not
// used, and positions are aligned at each sequence's own end.
//
// Sums are f32, and so is the softmax; O is rounded once, to nearest even. P, as a factor of V, is rounded to
// the type of V, so that errors of O are relative to the largest |V|, not to |O|.
//
// A query's row of O and its LSE have the same bits for every number of queries, heads and batch members in
// the call, packed or not, wherever the query stands among them, and in every run, provided that it sees the
// same keys at the same distances, without dropout. Whether LSE is wanted may decide on the last bit of O.
//
// A soft cap c takes each score s, after the scale and before the mask, to c tanh(s / c). With ALiBi (Press,
// Smith and Lewis, 2022), the score of a query at position p and a key then gains slope * (key - p), where
// each head has a slope.
//
// With dropout, each weight of the softmax is 0 with probability `dropout`, else divided by 1 - dropout,
// where 1 - dropout is rounded to a multiple of 1/256. LSE is that of all weights. Which weights are dropped
// is a function of the seed and of their place alone: the weight of query r (not its position) and key k in
// head h of batch member, or packed sequence, b is kept when
//   byte < 256 * (1 - dropout), rounded
// for byte k % 4, from the lowest, of word r % 4 of Philox4x32-7 (Salmon et al. 2011) with the counter
// (k / 4, r / 4, b * heads + h, 0) and the key (seed, seed >> 32). So the backward pass needs the seed, and
// no mask.
//
//   type               O      head_dim and value_dim, up to        chips
//   BF16, F16          same   128 and 128                          both
//                             256 and 256                          gfx950
//   F8E4M3, F8E5M2     BF16   128 and 128                          gfx950
//
// Both are multiples of 8 elements (16 in FP8). The fastest are 64 and 64, 128 and 128, 192 and 128, and 256
// and 256 (in FP8 128 and 128), without a soft cap and ALiBi. All others run in general kernels, which fill
// heads up to the next of these sizes and take as long as for that.
//
// Start from WT_ATTENTION_DESC_INIT and fill in the sizes and the type.
typedef struct wt_attention_desc {
  size_t struct_size;           // sizeof(wt_attention_desc)
  wt_type type;                 // type of Q, K and V, as in the table
  int32_t head_dim, value_dim;  // elements of a head of Q and K, and of V and O, as above; value_dim 0 means
                                // head_dim
  int64_t batch;                // members of the batch; default 1
  int64_t heads;                // heads of Q and O; default 1
  int64_t kv_heads;             // heads of K and V, which divide `heads`; 0 (default) means as many
  int64_t queries;              // queries of each batch member, up to 2^29
  int64_t keys;                 // keys of each batch member, up to 2^29; 0 (default) means as many as queries
  int32_t causal;               // 1 hides keys beyond the query's position; default 0
  int64_t window;               // distance that hides a key, see above; 0 (default) means none
  float softmax_scale;          // positive; 0 (default) means 1 / sqrt(head_dim)
  float scale_q, scale_k, scale_v;  // what one unit of Q, K and V stands for; positive; default 1
  wt_attention_strides strides_q, strides_k, strides_v, strides_o;

  // Memory of the device, batch + 1 row numbers each, of which the first is 0 and none is less than the one
  // before: sequence i has rows offsets[i] to offsets[i + 1] - 1. The call does not check their values. Both
  // are given, or both are NULL (default): the batch is then not packed.
  const int32_t *q_offsets, *k_offsets;
  int64_t total_queries, total_keys;  // rows of the packed tensors; the last offsets are at most these

  // The following is for the backward pass only.
  wt_attention_strides strides_dout, strides_dq, strides_dk, strides_dv;
  int32_t deterministic;  // 1 gives the same bits every time, and to a query dQ, and to a batch member dK and
                          // dV, with the bits that they have without the others; with 0 (default), dQ is
                          // summed in the order of execution
  int32_t waves;          // waves of a work-group, 4 or 8; with 0 (default), the library chooses
  void *workspace;  // memory of the device, aligned to 16 bytes. Two calls that may run at the same time
                    // need two
  size_t workspace_bytes;  // bytes of the workspace, at least what wt_attention_backward_workspace_size says

  // A struct that ends here is taken as one with the following at zero, their default.
  const float *sinks;  // memory of the device, a score for each of `heads` heads, in the unit of the scaled
                       // scores; NULL means that there are no sinks
  float *d_sinks;  // for the backward pass: memory of the device for the gradient of each sink, in an order
                   // of summation that does not vary; NULL means that it is not wanted

  // The same holds for a struct that ends here.
  float soft_cap;  // of the scaled scores, up to 1024, with an error of at most 2^-22 soft_cap; 0 (default)
                   // means none
  const float *alibi_slopes;   // memory of the device, a finite number for each of `heads` heads; NULL
                               // (default) means none
  int64_t alibi_batch_stride;  // elements from the slopes of one batch member, or packed sequence, to those
                               // of the next; 0 (default) means that all have the same

  // The same holds for a struct that ends here.
  float dropout;  // probability of dropping a weight, in BF16 and F16: 0 (default), or more than 1/512 and up
                  // to 511/512
  uint64_t seed;  // seed of the dropout
} wt_attention_desc;

// This is a descriptor with every field at its default.
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
// has [batch][heads][queries] floats; for packed batches it has [heads][total_queries].
//
// All tensors are memory of the context's device (or host memory it can access) from a HIP allocator, aligned
// to their element; o and lse must not overlap anything else. The descriptor may be reused at once, the
// memory when the stream has passed.
WT_API WT_MUST_CHECK wt_status wt_attention_forward(wt_context *context, const wt_attention_desc *desc,
                                                    const void *q, const void *k, const void *v, void *o,
                                                    float *lse, struct ihipStream_t *stream);

// Says how many bytes of workspace the backward pass of the descriptor needs; desc's workspace is not looked
// at. *bytes is 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_attention_backward_workspace_size(wt_context *context,
                                                                    const wt_attention_desc *desc,
                                                                    size_t *bytes);

// Enqueues the backward pass: dq, dk and dv, which have the shapes and the type of q, k and v, are the
// gradients of a function whose gradient of O is dout. It takes BF16 and F16 with head_dim and value_dim up
// to 128, and scale_q, scale_k and scale_v at 1. o and lse are the forward pass's for the same descriptor.
//
//   dV = P^T dout, dS = softmax_scale * P * (dout V^T - rowsum(dout * O)), dQ = dS K, dK = dS^T Q
//
// Dropout takes P of dV, and dout V^T, to zero or divides them by 1 - dropout, element by element. A soft cap
// c multiplies dS by 1 - tanh(s / c)^2. The slopes of ALiBi have no gradient. General kernels
// always give the same bits, as with deterministic, and have 4 waves.
//
// Sums are in f32, P and dS are rounded to the type before they are multiplied, and each result is rounded
// once. Memory is as in wt_attention_forward; dq, dk, dv and the workspace must not overlap anything else.
WT_API WT_MUST_CHECK wt_status wt_attention_backward(wt_context *context, const wt_attention_desc *desc,
                                                     const void *q, const void *k, const void *v,
                                                     const void *o, const float *lse, const void *dout,
                                                     void *dq, void *dk, void *dv,
                                                     struct ihipStream_t *stream);

// Explains the choice in lines of text: the kernels of the forward pass (`backward` 0) or of the backward
// pass (1), their work-groups, what decided, and for all other kernels why they were not chosen. Addresses
// are taken to be multiples of 16 bytes; strides are looked at.
//
// Writes at most `size` bytes to `text`, always ending in NUL when size > 0, and to *length (which may be
// NULL) the whole text's length without NUL: call with size 0 to learn how much memory it takes. When no
// kernel can run the descriptor, the text says why, and the status is that of the pass.
WT_API WT_MUST_CHECK wt_status wt_attention_explain(wt_context *context, const wt_attention_desc *desc,
                                                    int32_t backward, char *text, size_t size,
                                                    size_t *length);

#ifdef __cplusplus
}
#endif

#endif
