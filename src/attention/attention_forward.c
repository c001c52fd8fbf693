// SPDX-License-Identifier: MIT
// wt_attention_forward checks, then launches.
#include "attention_choice.h"

// The members of the batch from `batch` on that one launch can take, at most `most`.
static wt_status launch_slice(wt_context *context, const wt_attention_args *whole,
                              const wt_attention_plan *plan, wt_launch launch, int64_t batch, int64_t most,
                              hipStream_t stream) {
  wt_attention_args args =
      wt_attention_args_from(plan, whole, batch, wt_at_most(plan->desc.batch - batch, most));
  const int tiles = (int)wt_divide_up(plan->desc.queries, WT_ATTENTION_TILE);
  args.order =
      wt_attention_order_of(tiles, args.heads, args.batch, WT_XCDS, context->compute_units / WT_XCDS);
  launch.x = (unsigned)args.order.count;
  return wt_launch_enqueue(context, &launch, &args, stream);
}

static wt_status launch_all(wt_context *context, const wt_attention_plan *plan,
                            const wt_attention_forward_kernel *kernel, wt_attention_args args,
                            hipStream_t stream) {
  int64_t most = 0;
  wt_status status = wt_attention_forward_most(context, plan, &most);
  if (status) return status;
  wt_launch launch = {
      .y = wt_attention_forward_shares(plan, kernel), .z = 1, .threads = WT_ATTENTION_FORWARD_THREADS};
  (void)wt_attention_forward_symbol(plan, kernel, args.k.data, args.v.data, &launch);
  status = wt_launch_find(context, kernel->stem, &launch);
  for (int64_t batch = 0; batch < plan->desc.batch && !status; batch += most)
    status = launch_slice(context, &args, plan, launch, batch, most, stream);
  return status;
}

static wt_status check_memory(wt_context *context, const wt_attention_plan *plan, const void *q,
                              const void *k, const void *v, void *o, float *lse) {
  const void *pointers[] = {q, k, v, o};
  enum { MOST = 9 };
  wt_operand all[MOST];
  int count = 0;
  for (; count <= WT_ATTENTION_O; ++count) {
    all[count] = plan->tensors[count];
    all[count].pointer = pointers[count];
  }
  all[WT_ATTENTION_O].written = true;
  if (lse) {
    all[count] = wt_attention_lse(plan, lse);
    all[count++].written = true;
  }
  return wt_operands_check(context, all, wt_attention_add_vectors(plan, all, count));
}

wt_status wt_attention_forward(wt_context *context, const wt_attention_desc *desc, const void *q,
                               const void *k, const void *v, void *o, float *lse,
                               struct ihipStream_t *stream) {
  wt_attention_plan plan;
  const wt_attention_forward_kernel *kernel = NULL;
  wt_status status = wt_attention_plan_make(context, desc, WT_ATTENTION_FORWARD, &plan);
  if (!status) status = wt_attention_forward_choose(context, &plan, &kernel);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &plan, q, k, v, o, lse);
  if (!status)
    status = launch_all(context, &plan, kernel, wt_attention_args_of(&plan, q, k, v, o, lse), stream);
  wt_device_leave(previous);
  return status;
}
