// SPDX-License-Identifier: MIT
// Lists the kernels of attention by what they can run, and chooses among them.
#include "attention_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/types.h"

// ---- forward
enum { BLOCK = 128 };  // rows of K that a kernel copies at once, at most

// The first that can run a plan is the best for it.
const wt_attention_forward_kernel wt_attention_forward_kernels[] = {
    {"attention_forward_d64", "d64", WT_ATTENTION_PLAIN, 64, 64, false, 64},
    {"attention_forward_d128", "d128", WT_ATTENTION_PLAIN, 128, 128, false, 128},
    {"attention_forward_wide", "d192_128", WT_ATTENTION_PLAIN, 192, 128, false, 128},
    {"attention_forward_wide", "d256", WT_ATTENTION_PLAIN, 256, 256, false, 128},
    {"attention_forward_fp8", "d128", WT_ATTENTION_PLAIN, 128, 128, true, 128},
    {"attention_forward_general_d64", "d64", WT_ATTENTION_GENERAL, 64, 64, false, 64},
    {"attention_forward_general_d128", "d128", WT_ATTENTION_GENERAL, 128, 128, false, 128},
    {"attention_forward_general_wide", "d192_128", WT_ATTENTION_GENERAL, 192, 128, false, 128},
    {"attention_forward_general_wide", "d256", WT_ATTENTION_GENERAL, 256, 256, false, 128},
    {"attention_forward_general_fp8", "d128", WT_ATTENTION_GENERAL, 128, 128, true, 128},
};
const size_t wt_attention_forward_count =
    sizeof wt_attention_forward_kernels / sizeof *wt_attention_forward_kernels;

// Returns why a kernel refuses the problem, apart from its head dimensions; NULL if it does not.
static const char *type_refusal(const wt_context *context, const wt_attention_plan *plan,
                                const wt_attention_forward_kernel *kernel) {
  if (kernel->f8 != wt_attention_is_f8(plan->desc.type))
    return kernel->f8 ? "takes FP8" : "takes BF16 and F16";
  return wt_context_knows(context, kernel->stem) ? NULL : "wants more LDS or instructions than this chip has";
}

static const char *problem_refusal(const wt_context *context, const wt_attention_plan *plan,
                                   const wt_attention_forward_kernel *kernel) {
  const char *refusal = type_refusal(context, plan, kernel);
  if (refusal) return refusal;
  const wt_attention_desc *d = &plan->desc;
  if (kernel->variant == WT_ATTENTION_GENERAL)
    return kernel->head_dim >= d->head_dim && kernel->value_dim >= d->value_dim ? NULL
                                                                                : "is for narrower heads";
  if (kernel->head_dim != d->head_dim || kernel->value_dim != d->value_dim)
    return "is for other head dimensions";
  return plan->extra ? "takes scores as they are" : NULL;
}

const char *wt_attention_forward_refusal(const wt_context *context, const wt_attention_plan *plan,
                                         const wt_attention_forward_kernel *kernel) {
  const char *refusal = problem_refusal(context, plan, kernel);
  if (refusal || wt_context_has(context, kernel->stem)) return refusal;
  return "was left out when this library was built (WT_KERNELS)";
}

wt_status wt_attention_forward_choose(wt_context *context, const wt_attention_plan *plan,
                                      const wt_attention_forward_kernel **out) {
  const wt_attention_desc *d = &plan->desc;
  char sizes[96] = "";
  for (size_t i = 0; i < wt_attention_forward_count; ++i) {
    const wt_attention_forward_kernel *kernel = *out = &wt_attention_forward_kernels[i];
    if (!problem_refusal(context, plan, kernel))
      return wt_context_has(context, kernel->stem) ? WT_SUCCESS : wt_fail_left_out(context, kernel->stem);
    if (kernel->variant == WT_ATTENTION_PLAIN || type_refusal(context, plan, kernel)) continue;
    const size_t length = strlen(sizes);
    snprintf(sizes + length, sizeof sizes - length, "%s%d and %d", length ? ", " : "", kernel->head_dim,
             kernel->value_dim);
  }
  return wt_fail(context, WT_ERROR_UNSUPPORTED_SIZE,
                 "desc->head_dim is %d and value_dim is %d, but for %s on %s they are at most %s; pass "
                 "smaller ones",
                 d->head_dim, d->value_dim, wt_type_name(d->type), context->target->name, sizes);
}

bool wt_attention_forward_symbol(const wt_attention_plan *plan, const wt_attention_forward_kernel *kernel,
                                 const void *k, const void *v, wt_launch *launch) {
  const bool aligned = wt_attention_rows_aligned(plan, WT_ATTENTION_K, k, BLOCK) &&
                       wt_attention_rows_aligned(plan, WT_ATTENTION_V, v, BLOCK);
  snprintf(launch->symbol, sizeof launch->symbol, "attention_forward_%s_%s%s%s", kernel->heads,
           wt_attention_type_name(plan->desc.type), kernel->variant == WT_ATTENTION_GENERAL ? "_general" : "",
           aligned ? "" : "_any");
  return aligned;
}

unsigned wt_attention_forward_shares(const wt_attention_plan *plan,
                                     const wt_attention_forward_kernel *kernel) {
  return (unsigned)wt_divide_up(plan->desc.value_dim, kernel->share);
}

wt_status wt_attention_forward_most(wt_context *context, const wt_attention_plan *plan, int64_t *most) {
  const int64_t tiles = wt_divide_up(plan->desc.queries, WT_ATTENTION_TILE);
  *most = (int64_t)WT_MOST_THREADS_X / WT_ATTENTION_FORWARD_THREADS / tiles / plan->desc.heads;
  if (*most) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->queries is %" PRId64 " and heads is %" PRId64
                 ", together more than one launch can take; pass fewer",
                 plan->desc.queries, plan->desc.heads);
}

// ---- backward
static void add_step(wt_attention_backward_choice *b, const char *file, const char *name, const char *suffix,
                     unsigned threads, wt_attention_over over, int tile) {
  const bool general = b->variant == WT_ATTENTION_GENERAL;
  wt_attention_step *s = &b->steps[b->step_count++];
  *s = (wt_attention_step){.launch = {.y = 1, .z = 1, .threads = threads}, .over = over, .tile = tile};
  snprintf(s->stem, sizeof s->stem, "attention_backward_%s_d%d", file, b->tile_dim);
  snprintf(s->launch.symbol, sizeof s->launch.symbol, "attention_backward_%s_d%d_%s%s%s", name, b->tile_dim,
           wt_attention_type_name(b->plan.desc.type), general ? "_general" : "", suffix);
}

static void add_steps(wt_attention_backward_choice *b) {
  char waves[16], name[32];
  const char *file = b->variant == WT_ATTENTION_GENERAL ? "general" : waves;
  const char *suffix = b->aligned ? "" : "_any";
  const int tile = b->waves * WT_ATTENTION_WAVE_ROWS;
  const unsigned threads = 64 * (unsigned)b->waves;
  snprintf(waves, sizeof waves, "%dwave", b->waves);
  add_step(b, "rows", "prepare", "", 256, WT_ATTENTION_OVER_QUERIES, 64);
  if (b->atomic) {
    snprintf(name, sizeof name, "dkvq_%s", waves);
    add_step(b, "dkvq", name, "", threads, WT_ATTENTION_OVER_KEYS, tile);
    add_step(b, "rows", "finish", "", 256, WT_ATTENTION_OVER_QUERIES, 64);
    return;
  }
  snprintf(name, sizeof name, "dkv_%s", waves);
  add_step(b, file, name, suffix, threads, WT_ATTENTION_OVER_KEYS, tile);
  snprintf(name, sizeof name, "dq_%s", waves);
  add_step(b, file, name, suffix, threads, WT_ATTENTION_OVER_QUERIES, tile);
}

// Adds the gradient of the sinks, which depends on what the first step has left.
static void add_sinks(wt_attention_backward_choice *b) {
  static const char name[] = "attention_backward_sinks";
  wt_attention_step *s = &b->steps[b->step_count++];
  *s = (wt_attention_step){.launch = {.y = 1, .z = 1, .threads = 256}, .over = WT_ATTENTION_OVER_HEADS};
  memcpy(s->stem, name, sizeof name);
  memcpy(s->launch.symbol, name, sizeof name);
}

// Chooses which kernels a plan gets by its heads and scores.
static wt_status choose_variant(wt_context *context, wt_attention_backward_choice *b) {
  enum { MOST_DIM = 128 };
  const wt_attention_desc *d = &b->plan.desc;
  if (d->head_dim > MOST_DIM || d->value_dim > MOST_DIM)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_SIZE,
                   "desc->head_dim is %d and value_dim is %d, but the backward pass takes at most %d; pass "
                   "smaller ones",
                   d->head_dim, d->value_dim, MOST_DIM);
  b->tile_dim = d->head_dim <= 64 && d->value_dim <= 64 ? 64 : MOST_DIM;
  b->variant = !b->plan.extra && d->head_dim == b->tile_dim && d->value_dim == b->tile_dim
                   ? WT_ATTENTION_PLAIN
                   : WT_ATTENTION_GENERAL;
  if (b->variant == WT_ATTENTION_PLAIN || d->waves != 8) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_UNSUPPORTED_KERNEL,
                 "desc->waves is 8, but the backward pass with %s has 4; pass 4, or 0 to have it chosen",
                 b->plan.extra ? b->plan.extra : "these head dimensions");
}

// Chooses the kernels that run, for tensors at these addresses; NULL stands for well aligned ones.
static wt_status choose(wt_context *context, wt_attention_backward_choice *b, const void *const *pointers) {
  const wt_attention_desc *d = &b->plan.desc;
  const wt_status status = choose_variant(context, b);
  if (status) return status;
  const bool general = b->variant == WT_ATTENTION_GENERAL;
  b->aligned = true;
  for (int id = WT_ATTENTION_Q; id <= WT_ATTENTION_DOUT; ++id)
    if (id != WT_ATTENTION_O &&
        !wt_attention_rows_aligned(&b->plan, (wt_attention_tensor_id)id, pointers[id], 64))
      b->aligned = false;
  if (!b->aligned && d->waves == 4 && !general)
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_KERNEL,
        "desc->waves is 4, which needs rows of q, k, v and dout at multiples of 16 bytes; pass 0 to "
        "have it chosen");
  // Only plain kernels of 4 waves sum dQ by atomic additions.
  b->waves = general ? 4 : d->waves ? d->waves : b->aligned && !d->deterministic ? 4 : 8;
  b->atomic = !general && !d->deterministic && b->waves == 4;
  add_steps(b);
  if (d->d_sinks) add_sinks(b);
  return WT_SUCCESS;
}

int64_t wt_attention_step_groups(const wt_attention_backward_choice *b, const wt_attention_step *s,
                                 int64_t members) {
  const wt_attention_desc *d = &b->plan.desc;
  switch (s->over) {
    case WT_ATTENTION_OVER_QUERIES: return wt_divide_up(d->queries, s->tile) * d->heads * members;
    case WT_ATTENTION_OVER_KEYS: return wt_divide_up(d->keys, s->tile) * d->kv_heads * members;
    case WT_ATTENTION_OVER_HEADS: break;
  }
  return d->heads;
}

// Finds how the batch is cut into launches, and what workspace a launch needs.
static wt_status measure(wt_context *context, wt_attention_backward_choice *b) {
  const wt_attention_desc *d = &b->plan.desc;
  b->most_batch = d->batch;
  for (int i = 0; i < b->step_count; ++i)
    b->most_batch = wt_at_most(b->most_batch, (int64_t)WT_MOST_THREADS_X / b->steps[i].launch.threads /
                                                  wt_attention_step_groups(b, &b->steps[i], 1));
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
      (b->atomic && __builtin_mul_overflow(b->rows_bytes / 2, (uint64_t)b->tile_dim, &sums)) ||
      __builtin_add_overflow(b->rows_bytes, sums, &b->workspace_bytes) || b->workspace_bytes > INT64_MAX)
    return wt_fail(context, WT_ERROR_SIZE,
                   "the workspace for heads %" PRId64 " and queries %" PRId64
                   " has more than 2^63 bytes; pass smaller sizes",
                   d->heads, d->queries);
  return WT_SUCCESS;
}

wt_status wt_attention_backward_choose(wt_context *context, const wt_attention_desc *desc,
                                       const void *const *pointers, wt_attention_backward_choice *b) {
  *b = (wt_attention_backward_choice){0};
  wt_status status = wt_attention_plan_make(context, desc, WT_ATTENTION_BACKWARD, &b->plan);
  if (!status) status = choose(context, b, pointers);
  if (!status) status = measure(context, b);
  return status;
}
