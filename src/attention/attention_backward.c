// SPDX-License-Identifier: MIT
// wt_attention_backward: check, then launch the kernels that kernels/attention/attention_args.h lists.
#include <inttypes.h>

#include "attention_choice.h"

wt_status wt_attention_backward_workspace_size(wt_context *context, const wt_attention_desc *desc,
                                               size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  wt_attention_backward_choice b;
  const void *const aligned[WT_ATTENTION_TENSORS] = {NULL};
  const wt_status status = wt_attention_backward_choose(context, desc, aligned, &b);
  if (!status) *bytes = b.workspace_bytes;
  return status;
}

static wt_status check_memory(wt_context *context, const wt_attention_backward_choice *b,
                              const void *const *pointers, const float *lse) {
  const wt_attention_desc *d = &b->plan.desc;
  if (d->workspace && d->workspace_bytes < b->workspace_bytes)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "desc->workspace_bytes is %zu, but the backward pass needs %" PRIu64
                   " (see wt_attention_backward_workspace_size); pass more",
                   d->workspace_bytes, b->workspace_bytes);
  enum { MOST = WT_ATTENTION_TENSORS + 7 };
  wt_operand all[MOST];
  int count = 0;
  for (; count < WT_ATTENTION_TENSORS; ++count) {
    all[count] = b->plan.tensors[count];
    all[count].pointer = pointers[count];
    all[count].written = count >= WT_ATTENTION_DQ;
  }
  all[count++] = wt_attention_lse(&b->plan, lse);
  all[count] = wt_operand_vector("desc->workspace", d->workspace, 1, 16, (int64_t)b->workspace_bytes);
  all[count++].written = true;
  if (d->d_sinks) {
    all[count] = wt_operand_vector("desc->d_sinks", d->d_sinks, 4, 4, d->heads);
    all[count++].written = true;
  }
  return wt_operands_check(context, all, wt_attention_add_vectors(&b->plan, all, count));
}

static wt_status launch_step(wt_context *context, const wt_attention_backward_choice *b,
                             const wt_attention_step *s, wt_attention_backward_args args,
                             hipStream_t stream) {
  const bool of_keys = s->over == WT_ATTENTION_OVER_KEYS;
  const wt_attention_args *forward = &args.forward;
  const int64_t rows = of_keys ? forward->keys : forward->queries;
  const int heads = of_keys ? forward->heads / (int)forward->group.divisor : forward->heads;
  wt_launch launch = s->launch;
  launch.x = (unsigned)wt_attention_step_groups(b, s, forward->batch);
  if (s->over != WT_ATTENTION_OVER_HEADS)
    args.forward.order = wt_attention_order_of((int)wt_divide_up(rows, s->tile), heads, forward->batch,
                                               WT_XCDS, context->compute_units / WT_XCDS);
  return wt_launch_enqueue(context, &launch, &args, stream);
}

static wt_status launch_all(wt_context *context, wt_attention_backward_choice *b,
                            const wt_attention_backward_args *whole, hipStream_t stream) {
  wt_status status = WT_SUCCESS;
  for (int i = 0; i < b->step_count && !status; ++i)
    status = wt_launch_find(context, b->steps[i].stem, &b->steps[i].launch);
  for (int64_t batch = 0; batch < b->plan.desc.batch && !status; batch += b->most_batch) {
    wt_attention_backward_args args = *whole;
    args.forward = wt_attention_args_from(&b->plan, &whole->forward, batch,
                                          wt_at_most(b->plan.desc.batch - batch, b->most_batch));
    wt_attention_tensor_from(&b->plan, WT_ATTENTION_DOUT, &args.d_o, batch);
    wt_attention_tensor_from(&b->plan, WT_ATTENTION_DQ, &args.d_q, batch);
    wt_attention_tensor_from(&b->plan, WT_ATTENTION_DK, &args.d_k, batch);
    wt_attention_tensor_from(&b->plan, WT_ATTENTION_DV, &args.d_v, batch);
    args.members_before = batch;
    for (int i = 0; i < b->step_count && !status; ++i)
      status = launch_step(context, b, &b->steps[i], args, stream);
  }
  return status;
}

wt_status wt_attention_backward(wt_context *context, const wt_attention_desc *desc, const void *q,
                                const void *k, const void *v, const void *o, const float *lse,
                                const void *dout, void *dq, void *dk, void *dv, struct ihipStream_t *stream) {
  const void *const pointers[WT_ATTENTION_TENSORS] = {q, k, v, o, dout, dq, dk, dv};
  wt_attention_backward_choice b;
  wt_status status = wt_attention_backward_choose(context, desc, pointers, &b);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &b, pointers, lse);
  float *workspace = b.plan.desc.workspace;
  const wt_attention_backward_args args = {
      .forward = wt_attention_args_of(&b.plan, q, k, v, o, lse),
      .d_o = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DOUT, dout),
      .d_q = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DQ, dq),
      .d_k = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DK, dk),
      .d_v = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DV, dv),
      .rows = workspace,
      .dq_sum = b.atomic && workspace ? workspace + b.rows_bytes / sizeof(float) : NULL,
      .row_count = b.row_count,
      .result_scale = b.plan.desc.softmax_scale,
      .d_sinks = b.plan.desc.d_sinks};
  if (!status) status = launch_all(context, &b, &args, stream);
  wt_device_leave(previous);
  return status;
}
