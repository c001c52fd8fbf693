// SPDX-License-Identifier: MIT
// wt_experts_sort: check, then count, add up and place, or do all of it in one launch.
#include "core/desc.h"
#include "core/launch.h"
#include "core/workspace.h"
#include "experts_check.h"

// So many pairs are sorted by one wave in one launch, and else a part has at least so many.
enum { MOST_ALONE = 512, LEAST_PER_PART = 128 };
static const char stem[] = "experts_sort";

typedef struct sort_call {
  wt_experts_sort_desc desc;
  wt_experts_sort_args args;
} sort_call;

static wt_status check_desc(wt_context *context, const wt_experts_sort_desc *desc, sort_call *call) {
  static const wt_desc_layout layout = {"wt_experts_sort_desc", "WT_EXPERTS_SORT_DESC_INIT",
                                        sizeof(wt_experts_sort_desc), NULL};
  wt_experts_sort_desc *d = &call->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = experts_check_sizes(context, d->tokens, d->experts, d->top_k);
  if (status) return status;
  const int64_t pairs = d->tokens * d->top_k, shared = wt_divide_up(pairs, WT_EXPERTS_MOST_PARTS);
  const int64_t least = pairs <= MOST_ALONE ? MOST_ALONE : shared < LEAST_PER_PART ? LEAST_PER_PART : shared;
  const int64_t per_part = wt_divide_up(least, WT_EXPERTS_LANES) * WT_EXPERTS_LANES;
  call->args = (wt_experts_sort_args){.pairs = (int)pairs,
                                      .experts = (int)d->experts,
                                      .parts = (int)wt_divide_up(pairs, per_part),
                                      .per_part = (int)per_part};
  return WT_SUCCESS;
}

static size_t buckets_of(const wt_experts_sort_args *args) { return (size_t)args->experts + 1; }

// Returns the workspace of the counts of all parts, and of the totals; none where one wave sorts all.
static wt_workspace workspace_of(const sort_call *call) {
  const size_t parts = (size_t)call->args.parts;
  return (wt_workspace){.bytes = parts > 1 ? sizeof(int32_t) * buckets_of(&call->args) * (parts + 1) : 0,
                        .what = "pairs to be sorted",
                        .query = "wt_experts_sort_workspace_size",
                        .given = call->desc.workspace,
                        .given_bytes = call->desc.workspace_bytes};
}

static wt_status check_memory(wt_context *context, const sort_call *call) {
  const wt_experts_sort_desc *d = &call->desc;
  const wt_experts_sort_args *args = &call->args;
  wt_operand all[5] = {experts_pairs("ids", args->ids, d->tokens, d->top_k, false),
                       wt_operand_vector("offsets", args->offsets, 4, 4, d->experts + 1)};
  all[1].written = true;
  int count = 2;
  if (args->order) all[count++] = experts_pairs("order", args->order, d->tokens, d->top_k, true);
  if (args->places) all[count++] = experts_pairs("places", args->places, d->tokens, d->top_k, true);
  const wt_workspace workspace = workspace_of(call);
  count = wt_workspace_add_operand(&workspace, all, count);
  return wt_operands_check(context, all, count);
}

static wt_status launch(wt_context *context, const void *arguments, void *workspace, hipStream_t stream) {
  wt_experts_sort_args args = ((const sort_call *)arguments)->args;
  const unsigned parts = (unsigned)args.parts;
  wt_launch alone = {.symbol = "experts_sort_alone", .x = 1};
  wt_launch steps[] = {{.symbol = "experts_count", .x = parts},
                       {.symbol = "experts_sum", .x = (unsigned)buckets_of(&args)},
                       {.symbol = "experts_place", .x = parts}};
  wt_launch *const all = parts > 1 ? steps : &alone;
  const int count = parts > 1 ? sizeof steps / sizeof *steps : 1;
  args.counts = workspace;
  args.totals = parts > 1 ? args.counts + buckets_of(&args) * parts : NULL;
  wt_status status = WT_SUCCESS;
  for (int i = 0; i < count && !status; ++i) {
    all[i].y = all[i].z = 1, all[i].threads = WT_EXPERTS_LANES;
    status = wt_launch_find(context, stem, &all[i]);
  }
  for (int i = 0; i < count && !status; ++i) status = wt_launch_enqueue(context, &all[i], &args, stream);
  return status;
}

wt_status wt_experts_sort_workspace_size(wt_context *context, const wt_experts_sort_desc *desc,
                                         size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  sort_call call;
  const wt_status status = check_desc(context, desc, &call);
  if (!status) *bytes = workspace_of(&call).bytes;
  return status;
}

wt_status wt_experts_sort(wt_context *context, const wt_experts_sort_desc *desc, const int32_t *ids,
                          int32_t *offsets, int32_t *order, int32_t *places, struct ihipStream_t *stream) {
  sort_call call;
  wt_status status = check_desc(context, desc, &call);
  if (status) return status;
  call.args.ids = ids, call.args.offsets = offsets, call.args.order = order, call.args.places = places;
  const wt_workspace workspace = workspace_of(&call);
  status = wt_workspace_check(context, &workspace);
  if (status) return status;
  int previous;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &call);
  if (!status) status = wt_workspace_run(context, &workspace, launch, &call, stream);
  wt_device_leave(previous);
  return status;
}
