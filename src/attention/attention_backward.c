// SPDX-License-Identifier: MIT
// wt_attention_backward: check, then launch the kernels that kernels/attention/attention_args.h
// lists.
#include <inttypes.h>
#include <stdio.h>

#include "attention_plan.h"
#include "core/launch.h"
#include "core/types.h"
#include "kernels/attention/attention_args.h"

// One kernel over all tiles of queries, or of keys.
typedef struct step {
  char stem[64];
  wt_launch launch;
  bool of_keys;
  int tile;
} step;

enum { MOST_STEPS = 3 };

typedef struct backward {
  wt_attention_plan plan;
  step steps[MOST_STEPS];
  int step_count;
  bool atomic;         // dQ is summed by atomic additions
  int64_t most_batch;  // members of the batch that one launch of each step can take
  int64_t row_count;   // of the workspace, for as many
  uint64_t rows_bytes, workspace_bytes;
} backward;

static void add_step(backward *b, const char *file, const char *name, const char *suffix, unsigned threads,
                     bool of_keys, int tile) {
  const wt_attention_desc *d = &b->plan.desc;
  step *s = &b->steps[b->step_count++];
  *s = (step){.launch = {.y = 1, .z = 1, .threads = threads}, .of_keys = of_keys, .tile = tile};
  snprintf(s->stem, sizeof s->stem, "attention_backward_%s_d%d", file, d->head_dim);
  snprintf(s->launch.symbol, sizeof s->launch.symbol, "attention_backward_%s_d%d_%s%s", name, d->head_dim,
           wt_attention_type_name(d->type), suffix);
}

static void add_steps(backward *b, int waves, bool aligned) {
  char file[16], name[32];
  const char *suffix = aligned ? "" : "_any";
  const int tile = waves * WT_ATTENTION_WAVE_ROWS;
  const unsigned threads = 64 * (unsigned)waves;
  snprintf(file, sizeof file, "%dwave", waves);
  add_step(b, "rows", "prepare", "", 256, false, 64);
  if (b->atomic) {
    snprintf(name, sizeof name, "dkvq_%s", file);
    add_step(b, file, name, "", threads, true, tile);
    add_step(b, "rows", "finish", "", 256, false, 64);
    return;
  }
  snprintf(name, sizeof name, "dkv_%s", file);
  add_step(b, file, name, suffix, threads, true, tile);
  snprintf(name, sizeof name, "dq_%s", file);
  add_step(b, file, name, suffix, threads, false, tile);
}

// Which kernels run, for tensors at these addresses; NULL stands for well aligned ones.
static wt_status choose(wt_context *context, backward *b, const void *const *pointers) {
  const wt_attention_desc *d = &b->plan.desc;
  if (d->head_dim != d->value_dim || (d->head_dim != 64 && d->head_dim != 128))
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_SIZE,
        "desc->head_dim is %d and value_dim is %d, but the backward pass takes 64 and 64, or 128 and "
        "128; pad with zeros",
        d->head_dim, d->value_dim);
  bool aligned = true;
  for (int id = WT_ATTENTION_Q; id <= WT_ATTENTION_DOUT; ++id)
    if (id != WT_ATTENTION_O &&
        !wt_attention_rows_aligned(&b->plan, (wt_attention_tensor_id)id, pointers[id], 64))
      aligned = false;
  if (!aligned && d->waves == 4)
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_KERNEL,
        "desc->waves is 4, which needs rows of q, k, v and dout at multiples of 16 bytes; pass 0 to "
        "have it chosen");
  // Only kernels of 4 waves sum dQ by atomic additions.
  int waves = d->waves;
  if (waves == 0) waves = aligned && !d->deterministic ? 4 : 8;
  b->atomic = !d->deterministic && waves == 4;
  add_steps(b, waves, aligned);
  return WT_SUCCESS;
}

static int64_t groups_of(const backward *b, const step *s) {
  const wt_attention_desc *d = &b->plan.desc;
  return s->of_keys ? wt_divide_up(d->keys, s->tile) * d->kv_heads
                    : wt_divide_up(d->queries, s->tile) * d->heads;
}

// How the batch is cut into launches, and what workspace a launch needs.
static wt_status measure(wt_context *context, backward *b) {
  const wt_attention_desc *d = &b->plan.desc;
  b->most_batch = d->batch;
  for (int i = 0; i < b->step_count; ++i)
    b->most_batch = wt_at_most(
        b->most_batch, (int64_t)WT_MOST_THREADS_X / b->steps[i].launch.threads / groups_of(b, &b->steps[i]));
  if (b->most_batch == 0)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->queries is %" PRId64 ", keys is %" PRId64 " and heads is %" PRId64
                   ", together more than one launch can take; pass fewer",
                   d->queries, d->keys, d->heads);
  const wt_attention_args args = {
      .batch = (int)b->most_batch, .queries = (int)d->queries, .q_starts = d->q_offsets};
  b->row_count = wt_attention_row_count(&args, (int)d->total_queries);
  uint64_t sums = 0;
  if (__builtin_mul_overflow((uint64_t)d->heads * 4, (uint64_t)b->row_count * 2, &b->rows_bytes) ||
      (b->atomic && __builtin_mul_overflow(b->rows_bytes / 2, (uint64_t)d->head_dim, &sums)) ||
      __builtin_add_overflow(b->rows_bytes, sums, &b->workspace_bytes) || b->workspace_bytes > INT64_MAX)
    return wt_fail(context, WT_ERROR_SIZE,
                   "the workspace for heads %" PRId64 " and queries %" PRId64
                   " has more than 2^63 bytes; pass smaller sizes",
                   d->heads, d->queries);
  return WT_SUCCESS;
}

static wt_status prepare(wt_context *context, const wt_attention_desc *desc, const void *const *pointers,
                         backward *b) {
  *b = (backward){0};
  wt_status status = wt_attention_plan_make(context, desc, WT_ATTENTION_BACKWARD, &b->plan);
  if (!status) status = choose(context, b, pointers);
  if (!status) status = measure(context, b);
  return status;
}

wt_status wt_attention_backward_workspace_size(wt_context *context, const wt_attention_desc *desc,
                                               size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  backward b;
  const void *const aligned[WT_ATTENTION_TENSORS] = {NULL};
  const wt_status status = prepare(context, desc, aligned, &b);
  if (!status) *bytes = b.workspace_bytes;
  return status;
}

static wt_status check_memory(wt_context *context, const backward *b, const void *const *pointers,
                              const float *lse) {
  const wt_attention_desc *d = &b->plan.desc;
  if (d->workspace && d->workspace_bytes < b->workspace_bytes)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "desc->workspace_bytes is %zu, but the backward pass needs %" PRIu64
                   " (see wt_attention_backward_workspace_size); pass more",
                   d->workspace_bytes, b->workspace_bytes);
  enum { MOST = WT_ATTENTION_TENSORS + 4 };
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
  return wt_operands_check(context, all, wt_attention_add_offsets(&b->plan, all, count));
}

static wt_status launch_step(wt_context *context, const backward *b, const step *s,
                             wt_attention_backward_args args, hipStream_t stream) {
  const int64_t rows = s->of_keys ? args.forward.keys : args.forward.queries;
  wt_launch launch = s->launch;
  launch.x = (unsigned)(groups_of(b, s) * args.forward.batch);
  args.forward.tiles = (int)wt_divide_up(rows, s->tile);
  args.forward.chunk = wt_grid_chunk((int)launch.x, args.forward.xcds, args.forward.chunk);
  return wt_launch_enqueue(context, &launch, &args, stream);
}

static wt_status launch_all(wt_context *context, backward *b, const wt_attention_backward_args *whole,
                            hipStream_t stream) {
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
    for (int i = 0; i < b->step_count && !status; ++i)
      status = launch_step(context, b, &b->steps[i], args, stream);
  }
  return status;
}

wt_status wt_attention_backward(wt_context *context, const wt_attention_desc *desc, const void *q,
                                const void *k, const void *v, const void *o, const float *lse,
                                const void *dout, void *dq, void *dk, void *dv, struct ihipStream_t *stream) {
  const void *const pointers[WT_ATTENTION_TENSORS] = {q, k, v, o, dout, dq, dk, dv};
  backward b;
  wt_status status = prepare(context, desc, pointers, &b);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &b, pointers, lse);
  float *workspace = b.plan.desc.workspace;
  const wt_attention_backward_args args = {
      .forward = wt_attention_args_of(context, &b.plan, q, k, v, o, lse),
      .d_o = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DOUT, dout),
      .d_q = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DQ, dq),
      .d_k = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DK, dk),
      .d_v = wt_attention_tensor_of(&b.plan, WT_ATTENTION_DV, dv),
      .rows = workspace,
      .dq_sum = b.atomic && workspace ? workspace + b.rows_bytes / sizeof(float) : NULL,
      .row_count = b.row_count,
      .result_scale = b.plan.desc.softmax_scale};
  if (!status) status = launch_all(context, &b, &args, stream);
  wt_device_leave(previous);
  return status;
}
