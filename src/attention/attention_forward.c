// SPDX-License-Identifier: MIT
// wt_attention_forward: check, then launch.
#include <stdio.h>
#include <string.h>

#include "attention_plan.h"
#include "core/launch.h"
#include "core/types.h"

// kernels/attention/attention_args.h, as the table below: threads of a work-group, rows of K copied at once.
enum { THREADS = 512, BLOCK = 64 };

typedef struct forward_kernel {
  const char *stem;   // file name without ".hip"
  const char *heads;  // of its symbols, attention_forward_<heads>_<type>
  int head_dim, value_dim;
  bool f8;          // takes FP8; else BF16 and F16
  unsigned shares;  // of V's columns, a work-group for each
} forward_kernel;

static const forward_kernel kernels[] = {
    {"attention_forward_d64", "d64", 64, 64, false, 1},
    {"attention_forward_d128", "d128", 128, 128, false, 1},
    {"attention_forward_wide", "d192_128", 192, 128, false, 1},
    {"attention_forward_wide", "d256", 256, 256, false, 2},
    {"attention_forward_fp8", "d128", 128, 128, true, 1},
};

static wt_status find_kernel(wt_context *context, const wt_attention_plan *plan, const forward_kernel **out) {
  const wt_attention_desc *d = &plan->desc;
  char sizes[96] = "";
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
    *out = &kernels[i];
    if (kernels[i].f8 != wt_attention_is_f8(d->type) || !wt_context_has(context, kernels[i].stem)) continue;
    if (kernels[i].head_dim == d->head_dim && kernels[i].value_dim == d->value_dim) return WT_SUCCESS;
    const size_t length = strlen(sizes);
    snprintf(sizes + length, sizeof sizes - length, "%s%d and %d", length ? ", " : "", kernels[i].head_dim,
             kernels[i].value_dim);
  }
  return wt_fail(context, WT_ERROR_UNSUPPORTED_SIZE,
                 "desc->head_dim is %d and value_dim is %d, but for %s on %s they may be %s; pad with zeros",
                 d->head_dim, d->value_dim, wt_type_name(d->type), context->target->name, sizes);
}

// The members of the batch from `batch` on that one launch can take, at most `most`.
static wt_status launch_slice(wt_context *context, const wt_attention_args *whole,
                              const wt_attention_plan *plan, wt_launch launch, int64_t batch, int64_t most,
                              hipStream_t stream) {
  wt_attention_args args =
      wt_attention_args_from(plan, whole, batch, wt_at_most(plan->desc.batch - batch, most));
  launch.x = (unsigned)args.tiles * (unsigned)args.heads * (unsigned)args.batch;
  args.chunk = wt_grid_chunk((int)launch.x, args.xcds, args.chunk);
  return wt_launch_enqueue(context, &launch, &args, stream);
}

static wt_status launch_all(wt_context *context, const wt_attention_plan *plan, const forward_kernel *kernel,
                            wt_attention_args args, hipStream_t stream) {
  const int64_t tiles = wt_divide_up(plan->desc.queries, WT_ATTENTION_TILE);
  const int64_t most = (int64_t)WT_MOST_THREADS_X / THREADS / tiles / plan->desc.heads;
  if (most == 0)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->queries is %d and heads is %d, together more than one launch can take; pass fewer",
                   args.queries, args.heads);
  args.tiles = (int)tiles;
  const bool aligned = wt_attention_rows_aligned(plan, WT_ATTENTION_K, args.k.data, BLOCK) &&
                       wt_attention_rows_aligned(plan, WT_ATTENTION_V, args.v.data, BLOCK);
  wt_launch launch = {.y = kernel->shares, .z = 1, .threads = THREADS};
  snprintf(launch.symbol, sizeof launch.symbol, "attention_forward_%s_%s%s", kernel->heads,
           wt_attention_type_name(plan->desc.type), aligned ? "" : "_any");
  wt_status status = wt_launch_find(context, kernel->stem, &launch);
  for (int64_t batch = 0; batch < plan->desc.batch && !status; batch += most)
    status = launch_slice(context, &args, plan, launch, batch, most, stream);
  return status;
}

static wt_status check_memory(wt_context *context, const wt_attention_plan *plan, const void *q,
                              const void *k, const void *v, void *o, float *lse) {
  const void *pointers[] = {q, k, v, o};
  enum { MOST = 7 };
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
  return wt_operands_check(context, all, wt_attention_add_offsets(plan, all, count));
}

wt_status wt_attention_forward(wt_context *context, const wt_attention_desc *desc, const void *q,
                               const void *k, const void *v, void *o, float *lse,
                               struct ihipStream_t *stream) {
  wt_attention_plan plan;
  const forward_kernel *kernel = NULL;
  wt_status status = wt_attention_plan_make(context, desc, WT_ATTENTION_FORWARD, &plan);
  if (!status) status = find_kernel(context, &plan, &kernel);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &plan, q, k, v, o, lse);
  if (!status)
    status =
        launch_all(context, &plan, kernel, wt_attention_args_of(context, &plan, q, k, v, o, lse), stream);
  wt_device_leave(previous);
  return status;
}
