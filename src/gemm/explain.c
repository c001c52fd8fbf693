// SPDX-License-Identifier: MIT
// wt_gemm_explain puts the choice among kernels into words.
#include <inttypes.h>
#include <math.h>

#include "choice.h"
#include "core/text.h"
#include "pack.h"
#include "pieces.h"
#include "stream.h"

// Returns how many rounds of work-groups the compute units take for all of them.
static double rounds_of(const wt_cost *cost) { return ceil(cost->each / cost->resident); }

static wt_stream_cut stream_cut_of(const wt_context *context, const wt_gemm_plan *plan) {
  const wt_choice *c = &plan->choice;
  return wt_stream_cut_of(context, plan, c->kernel, c->tiles_m * c->tiles_n);
}

static void say_parts(wt_text *w, const wt_context *context, const wt_gemm_plan *plan) {
  const wt_choice *c = &plan->choice;
  if (c->kernel->kind == WT_KERNEL_STREAM) {
    const wt_stream_cut cut = stream_cut_of(context, plan);
    wt_text_add(
        w,
        "split K     that of the last %" PRId64 " tiles, into %" PRId64
        " ranges of equal length; the sums in %.6g MB of workspace are then added in order by " WT_FIX_UP_STEM
        "\n",
        cut.tiles, cut.ranges, (double)c->workspace_bytes / 1e6);
  } else if (c->parts == 1) {
    wt_text_add(w, "split K     none\n");
  } else {
    wt_text_add(w,
                "split K     %" PRId64 " parts of %" PRId64
                ", their sums in %.6g MB of workspace, then reduced in order by gemm_reduce\n",
                c->parts, c->k_part, (double)c->workspace_bytes / 1e6);
  }
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
  else
    wt_text_add(w, "why         the least predicted time of the kernels that fit\n");
}

static void say_work_groups(wt_text *w, const wt_context *context, const wt_choice *c, double groups,
                            const wt_cost *cost) {
  wt_text_add(w, "\nwork-groups %.0f of %u threads", groups, c->kernel->threads);
  if (c->kernel->kind != WT_KERNEL_RUNG)
    wt_text_add(w, ": %.0f round%s on %d compute units", rounds_of(cost), rounds_of(cost) == 1 ? "" : "s",
                context->compute_units);
  if (cost->resident > 1) wt_text_add(w, ", up to %.0f of them at a time on each", cost->resident);
  wt_text_add(w, "\n");
}

// Says what the cost is made of, line by line.
static void say_cost(wt_text *w, const wt_cost *cost, const wt_choice *c) {
  if (c->kernel->kind == WT_KERNEL_RUNG) return;
  wt_text_add(w, "cost        %.1f thousand cycles by the cost model, memory cold; of these\n",
              cost->cycles / 1e3);
  wt_text_add(w, "  launch    %.1f: arguments and first data come from memory, and the last stores end\n",
              cost->launch / 1e3);
  wt_text_add(w, "  K loops   %.1f: each of these alone would take", cost->loop / 1e3);
  for (int i = 0; i < WT_LIMITS; ++i)
    wt_text_add(w, "%s %s %.1f", i ? "," : "", wt_limit_names[i], cost->limit[i] / 1e3);
  wt_text_add(w, "\n  end       %.1f: %s stored\n", cost->end / 1e3,
              c->parts > 1                          ? "sums are"
              : c->kernel->kind == WT_KERNEL_STREAM ? "C and sums are"
                                                    : "C is");
  if (c->workspace_bytes)
    wt_text_add(w, "  reduction %.1f: the sums are read and added\n", cost->reduction / 1e3);
}

static void say_choice(wt_text *w, const wt_context *context, const wt_gemm_plan *plan) {
  const wt_choice *c = &plan->choice;
  wt_gemm_plan whole = *plan;
  // The table may have set the parts of K; stream-K cuts it itself.
  if (plan->tuned && c->kernel->kind != WT_KERNEL_STREAM) whole.desc.split_k = (int32_t)c->parts;
  const wt_candidate x = wt_candidate_of(context, &whole, c->kernel);
  wt_text_add(w, "kernel      %s: %s\n", c->kernel->stem, c->kernel->idea);
  wt_text_add(w, "loop        %s\n",
              c->kernel->loop == WT_LOOP_SCHEDULE ? "a declared schedule (wavetile schedule prints it)"
                                                  : "written by hand, without a schedule");
  say_reason(w, plan);
  wt_text_add(w, "tiles       %" PRId64 " x %" PRId64 " of %u x %u", c->tiles_m, c->tiles_n,
              c->kernel->tile_m, c->kernel->tile_n);
  if (plan->desc.batch > 1) wt_text_add(w, ", for each of %" PRId64 " in the batch", plan->desc.batch);
  const double tiles = (double)c->tiles_m * (double)c->tiles_n, batch = (double)plan->desc.batch;
  if (c->kernel->kind == WT_KERNEL_STREAM) {
    const wt_stream_cut cut = stream_cut_of(context, plan);
    wt_text_add(w,
                "\nwork-groups %" PRId64 " of %u threads on %d compute units, each computing %" PRId64
                " tiles and a range\n",
                cut.ranges, c->kernel->threads, context->compute_units, cut.whole / cut.ranges);
  } else if (c->kernel->kind == WT_KERNEL_PERSISTENT) {
    wt_text_add(w, "\nwork-groups %.0f of %u threads on %d compute units, each computing up to %.0f tiles\n",
                fmin(tiles, context->compute_units) * batch, c->kernel->threads, context->compute_units,
                ceil(tiles / context->compute_units));
  } else {
    say_work_groups(w, context, c, tiles * (double)c->parts * batch, &x.cost);
  }
  say_order(w, c);
  say_parts(w, context, plan);
  whole = *plan, whole.workspace_most_bytes = UINT64_MAX;
  const wt_candidate roomy = wt_candidate_of(context, &whole, c->kernel);
  if (!plan->tuned && roomy.choice.parts > c->parts)
    wt_text_add(w,
                "            with a workspace of %" PRIu64 " bytes %" PRId64
                " parts would be taken: %.1f instead of %.1f thousand cycles predicted\n",
                roomy.choice.workspace_bytes, roomy.choice.parts, roomy.cost.cycles / 1e3,
                x.cost.cycles / 1e3);
  say_cost(w, &x.cost, c);
}

static void say_packing(wt_text *w, const wt_context *context, const wt_gemm_plan *plan) {
  const double bytes =
      (double)wt_packed_bytes(context, plan, &plan->a) + (double)wt_packed_bytes(context, plan, &plan->b);
  wt_text_add(w,
              "packed      %s, whose rows do not begin with lines of memory: brought to %.6g MB of workspace "
              "first, by gemm_pack in %.1f thousand cycles\n",
              !plan->b.packed   ? "A"
              : !plan->a.packed ? "B"
                                : "A and B",
              bytes / 1e6, wt_pack_cost(context, plan) / 1e3);
}

// Explains C, or its pieces one after the other.
static void say_pieces(wt_text *w, const wt_context *context, const wt_gemm_plan *whole_plan) {
  const wt_gemm_plan product = wt_packed_plan(context, whole_plan), *plan = &product;
  if (wt_packs(whole_plan)) say_packing(w, context, whole_plan);
  if (wt_piece_count(plan) == 1) return say_choice(w, context, plan);
  const wt_candidate whole = wt_best_candidate(context, plan);
  wt_text_add(w,
              "pieces      2, computed one after the other; one kernel for all of C would be %s: %.1f "
              "thousand cycles by the cost model\n",
              whole.choice.kernel->stem, whole.cost.cycles / 1e3);
  for (int i = 0; i < 2; ++i) {
    const wt_piece piece = wt_piece_at(plan, i);
    wt_text_add(w, "piece %d     rows %" PRId64 " to %" PRId64 ", columns %" PRId64 " to %" PRId64 "\n",
                i + 1, piece.row, piece.row + piece.plan.desc.m - 1, piece.column,
                piece.column + piece.plan.desc.n - 1);
    say_choice(w, context, &piece.plan);
  }
}

static void say_candidates(wt_text *w, const wt_context *context, const wt_gemm_plan *plan) {
  wt_text_add(w, "candidates  (thousand cycles by the cost model)\n");
  for (size_t i = wt_kernel_count; i-- > 0;) {
    const wt_kernel *kernel = &wt_kernels[i];
    const wt_candidate x = wt_candidate_of(context, plan, kernel);
    const bool chosen = kernel == plan->choice.kernel || kernel == plan->cut.choice.kernel;
    wt_text_add(w, "  %c %-22s ", chosen ? '*' : ' ', kernel->stem);
    if (x.refusal[0])
      wt_text_add(w, "%s\n", x.refusal);
    else if (kernel->kind == WT_KERNEL_RUNG)
      wt_text_add(w, "of the ladder, for study: only when no kernel of the library fits\n");
    else
      wt_text_add(w, "%.1f: %.0f round%s of %u x %u, K in %" PRId64 " part%s\n", x.cost.cycles / 1e3,
                  rounds_of(&x.cost), rounds_of(&x.cost) == 1 ? "" : "s", kernel->tile_m, kernel->tile_n,
                  x.choice.parts, x.choice.parts == 1 ? "" : "s");
  }
}

wt_status wt_gemm_explain(wt_context *context, const wt_gemm_desc *desc, char *text, size_t size,
                          size_t *length) {
  wt_text w;
  wt_gemm_plan plan;
  wt_status status = wt_text_begin(context, text, size, length, &w);
  if (!status) status = wt_gemm_plan_check(context, desc, &plan);
  if (status) return status;
  status = wt_choose(context, &plan);
  if (status)
    plan.choice.kernel = NULL, wt_text_add(&w, "kernel      none: %s\n", wt_last_error(context));
  else
    say_pieces(&w, context, &plan);
  say_candidates(&w, context, &plan);
  if (length) *length = w.length;
  return status;
}
