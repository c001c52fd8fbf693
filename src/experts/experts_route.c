// SPDX-License-Identifier: MIT
// wt_experts_route checks, then launches.
#include <inttypes.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "experts_check.h"

static const char stem[] = "experts_route";

static wt_status check_groups(wt_context *context, wt_experts_route_desc *d) {
  if (d->groups < 1 || d->groups > WT_EXPERTS_MOST_GROUPS || d->experts % d->groups)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->groups is %" PRId64 "; pass a divisor of desc->experts, which is %" PRId64
                   ", from 1 to %d",
                   d->groups, d->experts, WT_EXPERTS_MOST_GROUPS);
  if (d->top_k_groups < 0 || d->top_k_groups > d->groups)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->top_k_groups is %" PRId64 "; pass up to desc->groups, which is %" PRId64
                   ", or 0 for all",
                   d->top_k_groups, d->groups);
  if (!d->top_k_groups) d->top_k_groups = d->groups;
  const int64_t eligible = d->experts / d->groups * d->top_k_groups;
  if (d->top_k > eligible)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->top_k is %" PRId64 ", but a token chooses among %" PRId64
                   " experts; pass that at most, or more groups",
                   d->top_k, eligible);
  return WT_SUCCESS;
}

static wt_status check_desc(wt_context *context, const wt_experts_route_desc *desc,
                            wt_experts_route_desc *d) {
  static const wt_desc_layout layout = {"wt_experts_route_desc", "WT_EXPERTS_ROUTE_DESC_INIT",
                                        sizeof(wt_experts_route_desc), NULL};
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = experts_check_sizes(context, d->tokens, d->experts, d->top_k);
  if (!status) status = wt_check_float_type(context, "type", d->type);
  if (!status && d->scoring != WT_EXPERTS_SOFTMAX && d->scoring != WT_EXPERTS_SIGMOID)
    status = wt_fail(context, WT_ERROR_VALUE,
                     "desc->scoring is %d; pass WT_EXPERTS_SOFTMAX (0) or WT_EXPERTS_SIGMOID (1)",
                     (int)d->scoring);
  if (!status) status = check_groups(context, d);
  if (!status) status = wt_check_flag(context, "renormalise", d->renormalise);
  if (!status) status = wt_check_finite(context, "scale", d->scale);
  return status;
}

static bool limits_groups(const wt_experts_route_desc *d) { return d->top_k_groups < d->groups; }

// Where scores are neither moved by a bias nor added up, logits say as much, and exactly.
static int choice_of(const wt_experts_route_desc *d) {
  if (d->scoring == WT_EXPERTS_SIGMOID && limits_groups(d)) return WT_EXPERTS_BY_PAIR;
  return d->bias ? WT_EXPERTS_BY_SCORE : WT_EXPERTS_BY_LOGIT;
}

static wt_status check_memory(wt_context *context, const wt_experts_route_desc *d, const wt_operand *logits,
                              const int32_t *ids, const float *weights) {
  wt_operand all[4] = {*logits, experts_pairs("ids", ids, d->tokens, d->top_k, true),
                       experts_pairs("weights", weights, d->tokens, d->top_k, true)};
  int count = 3;
  if (d->bias) all[count++] = wt_operand_vector("desc->bias", d->bias, 4, 4, d->experts);
  return wt_operands_check(context, all, count);
}

static wt_status launch(wt_context *context, const wt_experts_route_desc *d, const wt_operand *logits,
                        int32_t *ids, float *weights, hipStream_t stream) {
  wt_experts_route_args args = {.logits = logits->pointer,
                                .bias = d->bias,
                                .ids = ids,
                                .weights = weights,
                                .row = logits->axes[0].stride,
                                .tokens = (int)d->tokens,
                                .experts = (int)d->experts,
                                .top_k = (int)d->top_k,
                                .groups = limits_groups(d) ? (int)d->groups : 0,
                                .per_group = (int)(d->experts / d->groups),
                                .top_k_groups = (int)d->top_k_groups,
                                .scoring = (int)d->scoring,
                                .choice = choice_of(d),
                                .renormalise = d->renormalise,
                                .scale = d->scale};
  wt_row_launch rows = {.launch = {.y = 1, .z = 1, .threads = WT_EXPERTS_ROUTE_THREADS},
                        .rows = (int)d->tokens,
                        .teams = WT_EXPERTS_ROUTE_TOKENS};
  int most = WT_EXPERTS_LANES;
  while (most < d->experts) most *= 2;
  snprintf(rows.launch.symbol, sizeof rows.launch.symbol, "%s_%s_%d", stem, wt_row_type(d->type), most);
  const wt_status status = wt_launch_find(context, stem, &rows.launch);
  return status ? status : wt_row_enqueue(context, &rows, &args, &args.first, stream);
}

wt_status wt_experts_route(wt_context *context, const wt_experts_route_desc *desc, const void *logits,
                           int32_t *ids, float *weights, struct ihipStream_t *stream) {
  wt_experts_route_desc d;
  wt_operand rows;
  wt_status status = check_desc(context, desc, &d);
  if (!status)
    status = wt_row_matrix(context, "logits", logits, d.type, d.tokens, d.experts, "ldlogits", d.ldlogits,
                           false, &rows);
  if (status) return status;
  int previous;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &d, &rows, ids, weights);
  if (!status) status = launch(context, &d, &rows, ids, weights, stream);
  wt_device_leave(previous);
  return status;
}
