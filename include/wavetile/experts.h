// SPDX-License-Identifier: MIT
// This is a layer of experts (a mixture of experts): each token is routed to a few of many networks, and
// their results are added up with weights. This header is part of wavetile.h and serves C11 and C++.
#ifndef WAVETILE_EXPERTS_H
#define WAVETILE_EXPERTS_H

#include "base.h"
#include "block_output.h"
#include "gemm_block.h"

#ifdef __cplusplus
extern "C" {
#endif

// Says what score an expert has for a token, given its logits.
typedef enum wt_experts_scoring {
  WT_EXPERTS_SOFTMAX = 0,  // exp(logit) / sum over all experts of exp(logit)
  WT_EXPERTS_SIGMOID = 1   // 1 / (1 + exp(-logit))
} wt_experts_scoring;

// Describes the routing of tokens. Each token gets the top_k experts whose choice value, score + bias, is the
// greatest, in falling order; of equal ones the lower number comes first. The weight of a chosen expert is
//   score * scale, or score / sum of the chosen experts' scores * scale with `renormalise`
// The bias takes part in the choice alone. Where there is no bias, and no scores are added up for groups, the
// choice is by the logits, which have the order of the scores but no rounding.
//
// With `groups`, expert e is in group e / (experts / groups), and only the experts of the top_k_groups best
// groups can be chosen. A group's value is the greatest choice value in it (softmax, as DeepSeek-V2 routes),
// or the sum of the two greatest (sigmoid, as DeepSeek-V3 does; a group of one expert has its value).
// Among equal groups the lower number comes first.
//
// Scores are computed in f32. A NaN loses against every number, and as a logit of a softmax makes all weights
// of its token NaN. Where the sum of scores is 0, weights that are divided by it are 0.
//
// Start from WT_EXPERTS_ROUTE_DESC_INIT and fill in tokens, experts, top_k and the type.
typedef struct wt_experts_route_desc {
  size_t struct_size;          // sizeof(wt_experts_route_desc)
  int64_t tokens;              // tokens; tokens * top_k is at most 2^31 - 1
  int64_t experts;             // experts, from 1 to 512
  int64_t top_k;               // experts of each token, from 1 to 64, and no more than can be chosen
  wt_type type;                // type of the logits: F32, BF16 or F16
  wt_experts_scoring scoring;  // score of an expert; default WT_EXPERTS_SOFTMAX
  int64_t groups;              // groups of experts, a divisor of `experts` up to 64; default 1
  int64_t top_k_groups;        // groups of which experts are chosen; 0 (default) means all
  int32_t renormalise;         // 1 divides a token's weights by their sum; default 0
  float scale;                 // factor of the weights; default 1
  const float *bias;           // memory of the device, a summand for each expert; NULL (default) means none
  int64_t ldlogits;            // elements from one token's logits to the next; 0 (default): rows are packed
} wt_experts_route_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_EXPERTS_ROUTE_DESC_INIT (wt_experts_route_desc_init())
inline wt_experts_route_desc wt_experts_route_desc_init() {
  wt_experts_route_desc desc = wt_experts_route_desc();
  desc.struct_size = sizeof desc;
  desc.groups = 1;
  desc.scale = 1.0f;
  return desc;
}
#else
#define WT_EXPERTS_ROUTE_DESC_INIT \
  ((wt_experts_route_desc){.struct_size = sizeof(wt_experts_route_desc), .groups = 1, .scale = 1.0f})
#endif

// Enqueues the routing on `stream` (a hipStream_t; NULL is the default stream). logits are tokens x experts;
// ids and weights are packed, tokens x top_k. All are memory of the context's device (or host memory it can
// access) from a HIP allocator, aligned to their elements; the outputs overlap nothing.
WT_API WT_MUST_CHECK wt_status wt_experts_route(wt_context *context, const wt_experts_route_desc *desc,
                                                const void *logits, int32_t *ids, float *weights,
                                                struct ihipStream_t *stream);

// Describes the order of the pairs of a token and one of its experts, pair token * top_k + slot, by expert.
// Pairs of one expert keep their order. A pair whose id is no expert's number, such as -1, comes after all
// others.
//
// Start from WT_EXPERTS_SORT_DESC_INIT and fill in tokens, experts and top_k.
typedef struct wt_experts_sort_desc {
  size_t struct_size;  // sizeof(wt_experts_sort_desc)
  int64_t tokens;      // tokens; tokens * top_k is at most 2^31 - 1
  int64_t experts;     // experts, from 1 to 512
  int64_t top_k;       // experts of each token, from 1 to 64
  void *workspace;     // memory of the device, aligned to 16 bytes; NULL (default) means that the context's
                       // is used (wt_context_set_workspace_limit). Two calls that may run at the same time
                       // need two
  size_t workspace_bytes;  // bytes of the workspace; wt_experts_sort_workspace_size says how many are needed
} wt_experts_sort_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_EXPERTS_SORT_DESC_INIT (wt_experts_sort_desc_init())
inline wt_experts_sort_desc wt_experts_sort_desc_init() {
  wt_experts_sort_desc desc = wt_experts_sort_desc();
  desc.struct_size = sizeof desc;
  return desc;
}
#else
#define WT_EXPERTS_SORT_DESC_INIT ((wt_experts_sort_desc){.struct_size = sizeof(wt_experts_sort_desc)})
#endif

// Says how many bytes of workspace the sort needs: 0 for few pairs. *bytes is 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_experts_sort_workspace_size(wt_context *context,
                                                              const wt_experts_sort_desc *desc,
                                                              size_t *bytes);

// Enqueues the sort on `stream`. ids are tokens x top_k, as wt_experts_route writes them. The results are
//   offsets   experts + 1 numbers: the sorted pairs of expert e lie from offsets[e] up to offsets[e + 1], as
//             WT_GROUP_OFFSETS has it (grouped.h)
//   order     tokens * top_k numbers: the pair at each place of the sorted order; NULL: it is not written
//   places    tokens * top_k numbers: the place of each pair in it, the inverse; NULL: it is not written
// All are memory of the context's device, aligned to 4 bytes; the outputs overlap nothing.
WT_API WT_MUST_CHECK wt_status wt_experts_sort(wt_context *context, const wt_experts_sort_desc *desc,
                                               const int32_t *ids, int32_t *offsets, int32_t *order,
                                               int32_t *places, struct ihipStream_t *stream);

// Describes, for each token t,
//   y[t] = shared(x[t]) + sum over its slots s of weights[t][s] * network of expert ids[t][s] (x[t])
//   network(x) = (activation(gate) * up) * down^T, gate = x * w_gate^T, up = x * w_up^T
// The w_gate_up of an expert has the rows of w_gate and after them those of w_up. A slot whose id is no
// expert's number, such as -1, adds nothing. The sum is taken in f32, first the shared network's result (or
// 0) and then the slots in order, and rounded once; so the bits are the same each time.
//
// gate, up, activation(gate) * up and the result of each network are rounded to the type, to nearest even;
// sums of products are accumulated in f32.
//
// With `type_w`, weights are in a block-scaled format: FP8 E4M3 with F32 scales as wt_gemm_block has them, or
// an MX format (gfx950). x and activation(gate) * up are then quantised to blocks of their rows, as
// wt_block_output says, where they would be rounded to the type; the scales are of the same kind as those of
// the weights. WT_BLOCK_SCALES_POWER_OF_TWO promises of the weights' scales what it promises wt_gemm_block,
// so that matrix instructions of gfx950 apply all scales. With weights in F4E2M1 they may stay in BF16
// instead (type_q). hidden, inner and shared_inner are multiples of 32, hidden of 64 where tokens get E8M0
// scales.
//
// Start from WT_EXPERTS_DESC_INIT and fill in the sizes and the type.
typedef struct wt_experts_desc {
  size_t struct_size;        // sizeof(wt_experts_desc)
  int64_t tokens;            // tokens; tokens * top_k is at most 2^31 - 1
  int64_t experts;           // experts, from 1 to 512
  int64_t top_k;             // experts of each token, from 1 to 64
  int64_t hidden;            // elements of a token, from 1 to 2^30
  int64_t inner;             // elements of an expert's gate, from 1 to 2^29
  wt_type type;              // type of x and y: BF16 or F16
  wt_activation activation;  // function of the gate; default WT_ACTIVATION_SILU
  int64_t ldx, ldy;          // elements between the starts of rows; default 0: rows are packed

  // These are the weights of the network that every token passes; both are NULL (default) when there is none.
  // Several shared experts are one whose gates lie one after the other.
  const void *shared_gate_up;  // memory of the device, 2 * shared_inner x hidden
  const void *shared_down;     // the same, hidden x shared_inner
  int64_t shared_inner;        // elements of its gate, from 1 to 2^29; 0 (default) when there is none

  // This is the format of all matrices of weights. They are packed as wt_quantize_blocks or wt_quantize
  // writes them, and so are their scales: a row of bytes for each row, or F32 numbers as scales_of_w says.
  wt_type type_w;          // default 0: as `type`, without scales. With F32 scales F8E4M3 as the device has
                           // it, with E8M0 scales F8E4M3, F6E2M3, F6E3M2 or F4E2M1
  wt_type type_q;          // to which x and activation(gate) * up are quantised; default 0: as type_w. With
                           // E8M0 scales and weights in F4E2M1 any of those four; or BF16, with `type` BF16,
                           // and they are multiplied as they are
  wt_block_scales scales;  // default WT_BLOCK_SCALES_E8M0
  wt_scale_rounding rounding;  // of E8M0 scales of what is quantised; default WT_SCALE_UP
  wt_scales_of_b scales_of_w;  // rows of weights that share an F32 scale, where the 2 * inner rows of an
                               // expert's w_gate_up are one matrix; default WT_SCALES_OF_B_TILES
  const void *gate_up_scale, *down_scale;  // memory of the device, the scales of w_gate_up and w_down
  const void *shared_gate_up_scale, *shared_down_scale;  // and of the shared network, if there is one

  void *workspace;  // memory of the device, aligned to 16 bytes; NULL (default) means that the context's
                    // is used (wt_context_set_workspace_limit). Two calls that may run at the same time
                    // need two
  size_t workspace_bytes;  // bytes of the workspace; wt_experts_workspace_size says how many are needed
} wt_experts_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_EXPERTS_DESC_INIT (wt_experts_desc_init())
inline wt_experts_desc wt_experts_desc_init() {
  wt_experts_desc desc = wt_experts_desc();
  desc.struct_size = sizeof desc;
  desc.activation = WT_ACTIVATION_SILU;
  return desc;
}
#else
#define WT_EXPERTS_DESC_INIT \
  ((wt_experts_desc){.struct_size = sizeof(wt_experts_desc), .activation = WT_ACTIVATION_SILU})
#endif

// Says how many bytes of workspace the layer needs. *bytes is 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_experts_workspace_size(wt_context *context, const wt_experts_desc *desc,
                                                         size_t *bytes);

// Enqueues the layer on `stream` and returns without waiting for it; how many tokens an expert has only the
// device knows. x and y are tokens x hidden, w_gate_up is experts x (2 * inner) x hidden, w_down is experts x
// hidden x inner; ids and weights are tokens x top_k, as wt_experts_route writes them. All are memory of the
// context's device (or host memory it can access) from a HIP allocator, aligned to their elements, and so are
// the descriptor's matrices and workspace; y and the workspace overlap nothing.
//
// The fast products need hidden and inner to be multiples of 8, with E8M0 scales of 128, and matrices at
// multiples of 16 bytes. Slower ones take everything else.
WT_API WT_MUST_CHECK wt_status wt_experts_forward(wt_context *context, const wt_experts_desc *desc,
                                                  const void *x, const void *w_gate_up, const void *w_down,
                                                  const int32_t *ids, const float *weights, void *y,
                                                  struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
