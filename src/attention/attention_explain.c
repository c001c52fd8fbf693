// SPDX-License-Identifier: MIT
// wt_attention_explain puts the choice among kernels into words.
#include <inttypes.h>

#include "attention_choice.h"
#include "core/text.h"
#include "core/types.h"

static void say_shape(wt_text *w, const wt_attention_desc *d) {
  wt_text_add(w, "shape       %" PRId64 " x %" PRId64 " heads, %" PRId64 " of K and V; ", d->batch, d->heads,
              d->kv_heads);
  wt_text_add(w, "%s%" PRId64 " queries and %" PRId64 " keys\n", d->q_offsets ? "packed, up to " : "",
              d->queries, d->keys);
}

static void say_groups(wt_text *w, const wt_context *context, int64_t groups, unsigned threads) {
  const int64_t rounds = wt_divide_up(groups, context->compute_units);
  wt_text_add(w, "%" PRId64 " of %u threads: %" PRId64 " round%s on %d compute units\n", groups, threads,
              rounds, rounds == 1 ? "" : "s", context->compute_units);
}

static void say_launches(wt_text *w, int64_t batch, int64_t most) {
  if (most < batch)
    wt_text_add(w, "launches    %" PRId64 ", of up to %" PRId64 " members of the batch\n",
                wt_divide_up(batch, most), most);
}

// ---- forward
static void say_forward_choice(wt_text *w, const wt_context *context, const wt_attention_plan *plan,
                               const wt_attention_forward_kernel *kernel, int64_t most) {
  const wt_attention_desc *d = &plan->desc;
  const int64_t tiles = wt_divide_up(d->queries, WT_ATTENTION_TILE);
  wt_launch launch;
  const bool aligned = wt_attention_forward_symbol(plan, kernel, NULL, NULL, &launch);
  const bool general = kernel->variant == WT_ATTENTION_GENERAL;
  const unsigned shares = wt_attention_forward_shares(plan, kernel);
  wt_text_add(w, "kernel      %s\n", launch.symbol);
  wt_text_add(w, "why         the one for %s with head_dim %s%d and value_dim %s%d", wt_type_name(d->type),
              general ? "up to " : "", kernel->head_dim, general ? "up to " : "", kernel->value_dim);
  if (general && plan->extra) wt_text_add(w, " that has %s", plan->extra);
  wt_text_add(w, "%s\n",
              aligned ? ", K and V at multiples of 16 bytes"
                      : ", K and V anywhere: strides are no multiples of 16 bytes, which is slower");
  say_shape(w, d);
  wt_text_add(w, "tiles       %" PRId64 " of %d queries for each head", tiles, WT_ATTENTION_TILE);
  if (shares > 1) wt_text_add(w, ", and %u shares of V's columns", shares);
  wt_text_add(w, "\nwork-groups ");
  say_groups(w, context, tiles * d->heads * d->batch * shares, WT_ATTENTION_FORWARD_THREADS);
  say_launches(w, d->batch, most);
}

static wt_status explain_forward(wt_context *context, const wt_attention_desc *desc, wt_text *w) {
  wt_attention_plan plan;
  const wt_attention_forward_kernel *kernel = NULL;
  int64_t most = 0;
  wt_status status = wt_attention_plan_make(context, desc, WT_ATTENTION_FORWARD, &plan);
  if (status) return status;
  status = wt_attention_forward_choose(context, &plan, &kernel);
  if (!status) status = wt_attention_forward_most(context, &plan, &most);
  if (status)
    wt_text_add(w, "kernel      none: %s\n", wt_last_error(context));
  else
    say_forward_choice(w, context, &plan, kernel, most);
  wt_text_add(w, "candidates  (by head_dim and value_dim)\n");
  for (size_t i = 0; i < wt_attention_forward_count; ++i) {
    const wt_attention_forward_kernel *x = &wt_attention_forward_kernels[i];
    const char *refusal = wt_attention_forward_refusal(context, &plan, x);
    const bool chosen = !status && x == kernel;
    wt_text_add(w, "  %c %-30s %3d and %3d, %-12s %s\n", chosen ? '*' : ' ', x->stem, x->head_dim,
                x->value_dim, x->f8 ? "FP8" : "BF16, F16",
                refusal  ? refusal
                : chosen ? "fits"
                         : "fits, but takes longer");
  }
  return status;
}

// ---- backward
typedef struct scheme {
  const char *name;
  int waves;
  bool atomic;
} scheme;

static const scheme schemes[] = {{"4 waves, dQ by atomic additions", 4, true},
                                 {"4 waves, dQ in a kernel of its own", 4, false},
                                 {"8 waves, dQ in a kernel of its own", 8, false}};

static const char *why_chosen(const wt_attention_backward_choice *c) {
  const wt_attention_desc *d = &c->plan.desc;
  if (c->variant == WT_ATTENTION_GENERAL)
    return c->plan.extra ? "for scores or weights that are not just products"
                         : "for heads narrower than their tiles";
  if (d->waves) return "asked for by waves";
  if (!c->aligned) return "of 8 waves, which take rows anywhere: strides are no multiples of 16 bytes";
  if (d->deterministic) return "sums dQ in a fixed order, with two waves to a SIMD";
  return "makes S and dP once for all three gradients";
}

static const char *why_not(const wt_attention_backward_choice *c, const scheme *x) {
  const wt_attention_desc *d = &c->plan.desc;
  if (c->variant == WT_ATTENTION_GENERAL) return "takes whole tiles and scores as they are";
  if (x->waves == 4 && !c->aligned) return "needs rows of Q, K, V and dO at multiples of 16 bytes";
  if (d->waves && d->waves != x->waves) return d->waves == 4 ? "waves is 4" : "waves is 8";
  if (x->atomic) return "sums dQ in the order of execution, but deterministic is 1";
  if (!d->deterministic) return "makes S and dP twice, which only a fixed order of sums needs";
  return "only when waves is 4: one wave to a SIMD";
}

static void say_backward_choice(wt_text *w, const wt_context *context,
                                const wt_attention_backward_choice *c) {
  const wt_attention_desc *d = &c->plan.desc;
  for (int i = 0; i < c->step_count; ++i) {
    const wt_attention_step *step = &c->steps[i];
    wt_text_add(w, "%-12s%-38s ", i ? "" : "kernels", step->launch.symbol);
    say_groups(w, context, wt_attention_step_groups(c, step, d->batch), step->launch.threads);
  }
  wt_text_add(w, "why         %s\n", why_chosen(c));
  say_shape(w, d);
  say_launches(w, d->batch, c->most_batch);
  wt_text_add(w, "dQ          %s\n",
              c->atomic ? "sums in f32 by atomic additions, in the order of execution, then rounded"
                        : "the same bits every time");
  wt_text_add(w, "workspace   %" PRIu64 " bytes\n", c->workspace_bytes);
}

static wt_status explain_backward(wt_context *context, const wt_attention_desc *desc, wt_text *w) {
  const void *const aligned[WT_ATTENTION_TENSORS] = {NULL};
  wt_attention_backward_choice c;
  const wt_status status = wt_attention_backward_choose(context, desc, aligned, &c);
  if (status) {
    wt_text_add(w, "kernels     none: %s\n", wt_last_error(context));
    return status;
  }
  say_backward_choice(w, context, &c);
  wt_text_add(w, "candidates\n");
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; ++i) {
    const bool chosen = schemes[i].waves == c.waves && schemes[i].atomic == c.atomic;
    wt_text_add(w, "  %c %-36s %s\n", chosen ? '*' : ' ', schemes[i].name,
                chosen ? "fits" : why_not(&c, &schemes[i]));
  }
  return WT_SUCCESS;
}

wt_status wt_attention_explain(wt_context *context, const wt_attention_desc *desc, int32_t backward,
                               char *text, size_t size, size_t *length) {
  wt_text w;
  wt_status status = wt_text_begin(context, text, size, length, &w);
  if (!status && context && (backward < 0 || backward > 1))
    return wt_fail(context, WT_ERROR_VALUE, "backward is %d; pass 0 for the forward pass, or 1",
                   (int)backward);
  if (!status) status = backward ? explain_backward(context, desc, &w) : explain_forward(context, desc, &w);
  if (length) *length = w.length;
  return status;
}
