// SPDX-License-Identifier: MIT
// wt_gemm_explain: the choice among kernels in words.
#include <inttypes.h>
#include <math.h>

#include "choice.h"
#include "core/text.h"
#include "gemm_plan.h"

static void say_parts(wt_text *w, const wt_choice *c) {
  if (c->parts == 1)
    wt_text_add(w, "split K     none\n");
  else
    wt_text_add(w,
                "split K     %" PRId64 " parts of %" PRId64
                ", their sums in %.6g MB of workspace, then reduced in order by gemm_reduce\n",
                c->parts, c->k_part, (double)c->workspace_bytes / 1e6);
}

static void say_order(wt_text *w, const wt_choice *c) {
  if (c->chunk == 1 && c->window == 1)
    wt_text_add(w, "order       row by row, as dispatched\n");
  else
    wt_text_add(w, "order       %d dies (XCDs) with runs of %d tile%s each, in windows of %d tile row%s\n",
                WT_XCDS, c->chunk, c->chunk == 1 ? "" : "s", c->window, c->window == 1 ? "" : "s");
}

static void say_reason(wt_text *w, const wt_gemm_plan *plan) {
  const wt_kernel *kernel = plan->choice.kernel;
  if (plan->desc.kernel)
    wt_text_add(w, "why         asked for by name\n");
  else if (plan->tuned)
    wt_text_add(w, "why         the tuning table names it for this problem\n");
  else if (kernel->kind == WT_KERNEL_RUNG)
    wt_text_add(w, "why         no kernel of the library fits, and of the ladder it is the last that does\n");
  else if (kernel->most_m)
    wt_text_add(w, "why         made for m of at most %d\n", kernel->most_m);
  else
    wt_text_add(w, "why         the least predicted time of the kernels that fit\n");
}

static void say_choice(wt_text *w, const wt_context *context, const wt_gemm_plan *plan) {
  const wt_choice *c = &plan->choice;
  wt_gemm_plan whole = *plan;
  if (plan->tuned) whole.desc.split_k = 1;  // the table's are of one part
  const wt_candidate x = wt_candidate_of(context, &whole, c->kernel, false);
  wt_text_add(w, "kernel      %s: %s\n", c->kernel->stem, c->kernel->idea);
  say_reason(w, plan);
  wt_text_add(w, "tiles       %" PRId64 " x %" PRId64 " of %u x %u", c->tiles_m, c->tiles_n,
              c->kernel->tile_m, c->kernel->tile_n);
  if (plan->desc.batch > 1) wt_text_add(w, ", for each of %" PRId64 " in the batch", plan->desc.batch);
  const double tiles = (double)c->tiles_m * (double)c->tiles_n, batch = (double)plan->desc.batch;
  if (c->kernel->kind == WT_KERNEL_PERSISTENT)
    wt_text_add(w, "\nwork-groups %.0f of %u threads on %d compute units, each computing up to %.0f tiles\n",
                fmin(tiles, context->compute_units) * batch, c->kernel->threads, context->compute_units,
                ceil(tiles / context->compute_units));
  else
    wt_text_add(w, "\nwork-groups %.0f of %u threads: %" PRId64 " round%s on %d compute units\n",
                tiles * (double)c->parts * batch, c->kernel->threads, x.rounds, x.rounds == 1 ? "" : "s",
                context->compute_units);
  say_order(w, c);
  say_parts(w, c);
  const wt_candidate roomy = wt_candidate_of(context, plan, c->kernel, true);
  if (!plan->tuned && roomy.choice.parts > c->parts)
    wt_text_add(w,
                "            with a workspace of %" PRIu64 " bytes %" PRId64
                " parts would be taken: %.1f instead of %.1f thousand cycles predicted\n",
                roomy.choice.workspace_bytes, roomy.choice.parts, roomy.cycles / 1e3, x.cycles / 1e3);
}

static void say_candidates(wt_text *w, const wt_context *context, const wt_gemm_plan *plan) {
  wt_text_add(w, "candidates  (thousand cycles, predicted from published efficiencies by tile shape)\n");
  for (size_t i = wt_kernel_count; i-- > 0;) {
    const wt_kernel *kernel = &wt_kernels[i];
    const wt_candidate x = wt_candidate_of(context, plan, kernel, false);
    wt_text_add(w, "  %c %-22s ", kernel == plan->choice.kernel ? '*' : ' ', kernel->stem);
    if (x.refusal[0])
      wt_text_add(w, "%s\n", x.refusal);
    else if (kernel->kind == WT_KERNEL_RUNG)
      wt_text_add(w, "of the ladder, for study: only when no kernel of the library fits\n");
    else
      wt_text_add(w, "%.1f: %" PRId64 " round%s of %u x %u, K in %" PRId64 " part%s\n", x.cycles / 1e3,
                  x.rounds, x.rounds == 1 ? "" : "s", kernel->tile_m, kernel->tile_n, x.choice.parts,
                  x.choice.parts == 1 ? "" : "s");
  }
}

wt_status wt_gemm_explain(wt_context *context, const wt_gemm_desc *desc, char *text, size_t size,
                          size_t *length) {
  wt_text w;
  wt_gemm_plan plan;
  wt_status status = wt_text_begin(context, text, size, length, &w);
  if (!status) status = wt_gemm_plan_check(context, desc, &plan);
  if (status) return status;
  status = wt_choose(context, &plan, false);
  if (status)
    plan.choice.kernel = NULL, wt_text_add(&w, "kernel      none: %s\n", wt_last_error(context));
  else
    say_choice(&w, context, &plan);
  say_candidates(&w, context, &plan);
  if (length) *length = w.length;
  return status;
}
