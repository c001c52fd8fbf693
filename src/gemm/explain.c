// SPDX-License-Identifier: MIT
// wt_gemm_explain: the choice among kernels in words.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "choice.h"
#include "gemm_plan.h"

// Text cut off where memory ends, and the length it would have.
typedef struct writer {
  char *text;
  size_t size, length;
} writer;

__attribute__((format(printf, 2, 3))) static void say(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const size_t at = w->length < w->size ? w->length : w->size;
  const int length = vsnprintf(w->size ? w->text + at : NULL, w->size - at, format, args);
  va_end(args);
  if (length > 0) w->length += (size_t)length;
}

static void say_parts(writer *w, const wt_choice *c) {
  if (c->parts == 1)
    say(w, "split K     none\n");
  else
    say(w,
        "split K     %" PRId64 " parts of %" PRId64
        ", their sums in %.6g MB of workspace, then reduced in order by gemm_reduce\n",
        c->parts, c->k_part, (double)c->workspace_bytes / 1e6);
}

static void say_order(writer *w, const wt_choice *c) {
  if (c->kernel->kind == WT_KERNEL_RUNG)
    say(w, "order       row by row, as dispatched\n");
  else
    say(w, "order       %d dies (XCDs) with runs of %d tiles each, in windows of %d tile rows\n", WT_XCDS,
        c->chunk, c->window);
}

static void say_reason(writer *w, const wt_gemm_plan *plan) {
  const wt_kernel *kernel = plan->choice.kernel;
  if (plan->desc.kernel)
    say(w, "why         asked for by name\n");
  else if (plan->tuned)
    say(w, "why         the tuning table names it for this problem\n");
  else if (kernel->kind == WT_KERNEL_RUNG)
    say(w, "why         no kernel of the library fits, and of the ladder it is the last that does\n");
  else if (kernel->most_m)
    say(w, "why         made for m of at most %d\n", kernel->most_m);
  else
    say(w, "why         the least predicted time of the kernels that fit\n");
}

static void say_choice(writer *w, const wt_context *context, const wt_gemm_plan *plan) {
  const wt_choice *c = &plan->choice;
  wt_gemm_plan whole = *plan;
  if (plan->tuned) whole.desc.split_k = 1;  // the table's are of one part
  const wt_candidate x = wt_candidate_of(context, &whole, c->kernel, false);
  say(w, "kernel      %s: %s\n", c->kernel->stem, c->kernel->idea);
  say_reason(w, plan);
  say(w, "tiles       %" PRId64 " x %" PRId64 " of %u x %u", c->tiles_m, c->tiles_n, c->kernel->tile_m,
      c->kernel->tile_n);
  if (plan->desc.batch > 1) say(w, ", for each of %" PRId64 " in the batch", plan->desc.batch);
  say(w, "\nwork-groups %.0f of %u threads: %" PRId64 " round%s on %d compute units\n",
      (double)c->tiles_m * (double)c->tiles_n * (double)c->parts * (double)plan->desc.batch,
      c->kernel->threads, x.rounds, x.rounds == 1 ? "" : "s", context->compute_units);
  say_order(w, c);
  say_parts(w, c);
  const wt_candidate roomy = wt_candidate_of(context, plan, c->kernel, true);
  if (!plan->tuned && roomy.choice.parts > c->parts)
    say(w,
        "            with a workspace of %" PRIu64 " bytes %" PRId64
        " parts would be taken: %.1f instead of %.1f thousand cycles predicted\n",
        roomy.choice.workspace_bytes, roomy.choice.parts, roomy.cycles / 1e3, x.cycles / 1e3);
}

static void say_candidates(writer *w, const wt_context *context, const wt_gemm_plan *plan) {
  say(w, "candidates  (thousand cycles, predicted from published efficiencies by tile shape)\n");
  for (size_t i = wt_kernel_count; i-- > 0;) {
    const wt_kernel *kernel = &wt_kernels[i];
    const wt_candidate x = wt_candidate_of(context, plan, kernel, false);
    say(w, "  %c %-22s ", kernel == plan->choice.kernel ? '*' : ' ', kernel->stem);
    if (x.refusal[0])
      say(w, "%s\n", x.refusal);
    else if (kernel->kind == WT_KERNEL_RUNG)
      say(w, "of the ladder, for study: only when no kernel of the library fits\n");
    else
      say(w, "%.1f: %" PRId64 " round%s of %u x %u, K in %" PRId64 " part%s\n", x.cycles / 1e3, x.rounds,
          x.rounds == 1 ? "" : "s", kernel->tile_m, kernel->tile_n, x.choice.parts,
          x.choice.parts == 1 ? "" : "s");
  }
}

wt_status wt_gemm_explain(wt_context *context, const wt_gemm_desc *desc, char *text, size_t size,
                          size_t *length) {
  if (length) *length = 0;
  if (!text && size)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "text is NULL, but size is %zu; pass memory, or size 0",
                   size);
  if (size) *text = 0;
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_check(context, desc, &plan);
  if (status) return status;
  status = wt_choose(context, &plan, false);
  writer w = {.text = text, .size = size};
  if (status)
    plan.choice.kernel = NULL, say(&w, "kernel      none: %s\n", wt_last_error(context));
  else
    say_choice(&w, context, &plan);
  say_candidates(&w, context, &plan);
  if (length) *length = w.length;
  return status;
}
