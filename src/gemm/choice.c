// SPDX-License-Identifier: MIT
// Knows which kernels can run a descriptor, and which of them is predicted to take the least time.
#include "choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/launch.h"
#include "core/types.h"
#include "cut.h"
#include "pack.h"
#include "pieces.h"
#include "stream.h"
#include "table.h"

// ---- which can run it

// Returns the first member of the descriptor that goes beyond alpha and beta; NULL when none does.
static const char *epilogue_member(const wt_gemm_desc *d) {
  if (d->row_scale) return "row_scale";
  if (d->column_scale) return "column_scale";
  if (d->bias) return "bias";
  return d->activation ? "activation" : NULL;
}

#define REFUSE(...) return (void)snprintf(why, size, __VA_ARGS__), true

// What buffer loads and direct copies need of their addresses, and what a row of C that is stored straight
// from the registers does, in bytes.
enum { COPY_ALIGNMENT = 4, STORE_ALIGNMENT = 16 };

// A copy of transposed operands takes so many bytes of a stored row.
enum { COPY_BYTES = 16 };

// `of` names all matrices of which this is asked; a tile has `tall` stored rows.
static bool refuses_rows(const wt_gemm_plan *plan, const char *of, const wt_gemm_matrix *matrix, int64_t tall,
                         int alignment, char *why, size_t size) {
  const int64_t element_bytes = (int64_t)matrix->element_bytes;
  if (matrix->ld * element_bytes % alignment)
    REFUSE("needs rows of %s at multiples of %d bytes, but ld%s is %" PRId64, of, alignment, matrix->name,
           matrix->ld);
  if (plan->desc.batch > 1 && matrix->stride * element_bytes % alignment)
    REFUSE("needs rows of %s at multiples of %d bytes, but stride_%s is %" PRId64, of, alignment,
           matrix->name, matrix->stride);
  if (matrix->ld >= INT32_MAX / (tall * element_bytes) - 1)
    REFUSE("needs less than 2 GB from the first to the last stored row of a tile, but ld%s is %" PRId64,
           matrix->name, matrix->ld);
  return false;
}

static bool refuses_operand(const wt_gemm_plan *plan, const wt_gemm_matrix *matrix, bool transposed,
                            unsigned tile, char *why, size_t size) {
  if (transposed && matrix->cols * (int64_t)matrix->element_bytes < COPY_BYTES)
    REFUSE("needs stored rows of at least %d bytes, but those of %s have %" PRId64 " elements", COPY_BYTES,
           matrix->name, matrix->cols);
  const int64_t tall = transposed ? plan->desc.k : (int64_t)tile;
  return refuses_rows(plan, "A and B", matrix, tall, COPY_ALIGNMENT, why, size);
}

static bool refuses_far_rows(const wt_gemm_plan *plan, const wt_kernel *kernel, char *why, size_t size) {
  return refuses_rows(plan, "A and B", &plan->a, kernel->tile_m, 1, why, size) ||
         refuses_rows(plan, "A and B", &plan->b, kernel->tile_n, 1, why, size);
}

static bool refuses_copies(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                           char *why, size_t size) {
  const int64_t least = wt_cut_least_k(context, plan, kernel);
  if (plan->desc.k < least) REFUSE("needs k of at least %" PRId64 ", but k is %" PRId64, least, plan->desc.k);
  const wt_gemm_desc *d = &plan->desc;
  if (refuses_operand(plan, &plan->a, d->trans_a, kernel->tile_m, why, size)) return true;
  if (refuses_operand(plan, &plan->b, d->trans_b, kernel->tile_n, why, size)) return true;
  if ((plan->a.misaligned | plan->b.misaligned) % COPY_ALIGNMENT)
    REFUSE("needs rows of A and B at multiples of %d bytes, but a or b is not at one", COPY_ALIGNMENT);
  return false;
}

static bool refuses_rung(const wt_gemm_plan *plan, const wt_kernel *kernel, char *why, size_t size) {
  const wt_gemm_desc *d = &plan->desc;
  if (d->type_c != WT_TYPE_BF16 && d->type_c != WT_TYPE_F32)
    REFUSE("writes BF16 or F32, but type_c is %s", wt_type_name(d->type_c));
  if (epilogue_member(d)) REFUSE("applies alpha and beta only, but %s is set", epilogue_member(d));
  if (!wt_kernel_takes_order(kernel) && (d->grid_window || d->grid_chunk))
    REFUSE("has its own order of tiles, but grid_%s is set", d->grid_window ? "window" : "chunk");
  if (d->split_k > 1) REFUSE("does not split K, but split_k is %d", d->split_k);
  return false;
}

// Persistent kernels need a result that is rounded and stored straight from the registers
// (include/ops/row_writer.h).
static bool refuses_persistent(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                               char *why, size_t size) {
  const wt_gemm_desc *d = &plan->desc;
  const int64_t step = wt_gemm_plan_step(context, plan);
  if (plan->c.element_bytes != 2) REFUSE("writes BF16 or F16, but type_c is %s", wt_type_name(d->type_c));
  if (epilogue_member(d)) REFUSE("applies alpha only, but %s is set", epilogue_member(d));
  if (d->beta != 0) REFUSE("applies alpha only, but beta is %g", (double)d->beta);
  if (d->split_k > 1) REFUSE("does not split K, but split_k is %d", d->split_k);
  if (d->k % step) REFUSE("needs k in steps of %" PRId64 ", but k is %" PRId64, step, d->k);
  if (d->n % 8) REFUSE("stores 8 columns at once, but n is %" PRId64, d->n);
  if (plan->c.misaligned)
    REFUSE("needs rows of C at multiples of %d bytes, but c is not at one", STORE_ALIGNMENT);
  return refuses_rows(plan, "C", &plan->c, kernel->tile_m, STORE_ALIGNMENT, why, size);
}

static bool refuses_stream(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                           char *why, size_t size) {
  const wt_gemm_desc *d = &plan->desc;
  if (d->split_k) REFUSE("cuts K itself, but split_k is %d", d->split_k);
  if (d->batch > 1) REFUSE("computes one product, but batch is %" PRId64, d->batch);
  if (!wt_context_knows(context, WT_FIX_UP_STEM)) REFUSE("needs " WT_FIX_UP_STEM);
  const int64_t tiles = wt_divide_up(d->m, kernel->tile_m) * wt_divide_up(d->n, kernel->tile_n);
  if (tiles > INT32_MAX) REFUSE("computes at most %d tiles, but there are %" PRId64, INT32_MAX, tiles);
  const wt_stream_cut cut = wt_stream_cut_of(context, plan, kernel, tiles);
  if (!cut.tiles)
    REFUSE("cuts the tiles of a round that is not full, but all rounds of %" PRId64 " tiles are", tiles);
  if (!cut.tile_grains) REFUSE("needs k of at least %" PRId64 ", but k is %" PRId64, cut.grain, d->k);
  const uint64_t bytes = wt_stream_bytes(kernel, &cut);
  if (bytes > plan->workspace_most_bytes)
    REFUSE("needs %" PRIu64 " bytes of workspace, but %" PRIu64 " are allowed", bytes,
           plan->workspace_most_bytes);
  return false;
}

// All kernels of the library but those for few rows or columns and of stream-K add the same products in the
// same order, so that they give the same bits (tests/api/gemm_batch_invariant.c).
static bool refuses_invariance(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                               char *why, size_t size) {
  if (kernel->kind == WT_KERNEL_RUNG || kernel->kind == WT_KERNEL_STREAM || kernel->waves_k > 1)
    REFUSE("sums K in an order of its own, but batch_invariant is 1");
  const int64_t parts = plan->desc.split_k ? plan->desc.split_k : 1;
  const wt_choice choice = wt_cut(context, plan, kernel, parts);
  if (!wt_cut_is_even(context, plan, &choice, parts))
    REFUSE("needs %" PRId64 " of K in each part, which split_k %" PRId64
           " does not leave for the last one, and batch_invariant is 1",
           wt_cut_least_k(context, plan, kernel), parts);
  return false;
}

// Returns whether the kernel cannot run the descriptor, and if so says why.
static bool refuses(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel, char *why,
                    size_t size) {
  const wt_gemm_desc *d = &plan->desc;
  if (!wt_context_knows(context, kernel->stem))
    REFUSE("is not compiled for %s, which the device is", context->target->name);
  if (!(kernel->inputs & wt_kernel_inputs(context->target, d->type_a, d->type_b)))
    REFUSE("takes %s, but type_a is %s and type_b is %s", wt_kernel_inputs_text(kernel->inputs),
           wt_type_name(d->type_a), wt_type_name(d->type_b));
  if (kernel->needs == WT_NEEDS_TRANSPOSED_COPIES && !d->trans_a && !d->trans_b)
    REFUSE("needs A, B or both transposed, but trans_a and trans_b are 0");
  if (kernel->needs != WT_NEEDS_NOTHING && kernel->needs != WT_NEEDS_TRANSPOSED_COPIES &&
      (d->trans_a || d->trans_b))
    REFUSE("needs %s, but trans_a is %d and trans_b is %d", wt_kernel_needs_text(WT_NEEDS_K_CONTIGUOUS),
           d->trans_a, d->trans_b);
  if (kernel->one_line && d->m > kernel->tile_m && d->n > kernel->tile_n)
    REFUSE("needs m of at most %u or n of at most %u, but m is %" PRId64 " and n is %" PRId64, kernel->tile_m,
           kernel->tile_n, d->m, d->n);
  // A launch counts the work-items of each dimension in 32 bits (HSA AQL kernel dispatch packet,
  // grid_size_x).
  const int64_t most_n = (int64_t)UINT32_MAX / kernel->threads * kernel->tile_n;
  if (d->n > most_n) REFUSE("covers n of at most %" PRId64 " in a launch, but n is %" PRId64, most_n, d->n);
  if (d->batch_invariant && refuses_invariance(context, plan, kernel, why, size)) return true;
  if (kernel->needs == WT_NEEDS_NEAR_ROWS && refuses_far_rows(plan, kernel, why, size)) return true;
  if (wt_kernel_copies(kernel) && refuses_copies(context, plan, kernel, why, size)) return true;
  if (kernel->kind == WT_KERNEL_PERSISTENT && refuses_persistent(context, plan, kernel, why, size))
    return true;
  if (kernel->kind == WT_KERNEL_STREAM && refuses_stream(context, plan, kernel, why, size)) return true;
  return kernel->kind == WT_KERNEL_RUNG && refuses_rung(plan, kernel, why, size);
}

// ---- what it takes

// The parts that are tried are at most so many times the compute units' worth of work-groups, for parts that
// do not fill the units evenly cost more than they hide.
enum { MOST_ROUNDS = 4 };

// Returns the next number of parts to be tried: every one of few, and an eighth more of many.
static int64_t next_parts(int64_t parts) { return parts + 1 + parts / 8; }

void wt_candidate_split(const wt_context *context, const wt_gemm_plan *plan, wt_candidate *best) {
  const wt_choice *c = &best->choice;
  best->cost = wt_cost_of(context, plan, c);
  if (!wt_context_has(context, WT_REDUCTION_STEM)) return;
  const double groups = (double)c->tiles_m * (double)c->tiles_n * (double)plan->desc.batch;
  const double most = fmin(MOST_ROUNDS * context->compute_units / groups, WT_MAX_SPLIT);
  wt_candidate x = *best;
  for (int64_t parts = 2; (double)parts <= most; parts = next_parts(parts)) {
    wt_cut_k(context, plan, &x.choice, parts);
    if (x.choice.parts <= best->choice.parts || x.choice.workspace_bytes > plan->workspace_most_bytes)
      continue;
    x.cost = wt_cost_of(context, plan, &x.choice);
    if (x.cost.cycles < best->cost.cycles) *best = x;
  }
}

wt_candidate wt_candidate_of(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel) {
  const wt_gemm_desc *d = &plan->desc;
  wt_candidate x = {.choice = wt_cut(context, plan, kernel, d->split_k ? d->split_k : 1)};
  if (refuses(context, plan, kernel, x.refusal, sizeof x.refusal)) return x;
  const bool is_stream = kernel->kind == WT_KERNEL_STREAM;
  if (!wt_context_has(context, kernel->stem) || (is_stream && !wt_context_has(context, WT_FIX_UP_STEM))) {
    x.left_out = true;
    snprintf(x.refusal, sizeof x.refusal, "was left out when this library was built (WT_KERNELS)");
    return x;
  }
  if (!d->split_k && kernel->kind == WT_KERNEL_LIBRARY && !d->batch_invariant)
    wt_candidate_split(context, plan, &x);
  else
    x.cost = wt_cost_of(context, plan, &x.choice);
  return x;
}

// Stream-K must promise a twentieth: the work-groups that share a tile load the same rows at different times,
// of which the cost model knows only that a die loads all of them.
static const double stream_gain = 0.05;

static double promise_of(const wt_candidate *x) {
  return x->choice.kernel->kind == WT_KERNEL_STREAM ? x->cost.cycles / (1 - stream_gain) : x->cost.cycles;
}

bool wt_candidate_better(const wt_candidate *x, const wt_candidate *y) {
  const wt_kernel *a = x->choice.kernel, *b = y->choice.kernel;
  const bool rung = a->kind == WT_KERNEL_RUNG;
  if (rung != (b->kind == WT_KERNEL_RUNG)) return !rung;
  if (rung) return a > b;  // by the order of the table
  if (promise_of(x) != promise_of(y)) return promise_of(x) < promise_of(y);
  return wt_kernel_copies(a) && !wt_kernel_copies(b);  // the model does not count instructions
}

// Returns the best that can run, of those the build has; with none, `left_out` is the best that it left out,
// and `last` the last one that was refused.
static wt_candidate best_of(const wt_context *context, const wt_gemm_plan *plan, wt_candidate *left_out,
                            wt_candidate *last) {
  wt_candidate best = {.choice.kernel = NULL};
  for (size_t i = 0; i < wt_kernel_count; ++i) {
    *last = wt_candidate_of(context, plan, &wt_kernels[i]);
    if (last->refusal[0] && !last->left_out) continue;
    wt_candidate *instead = last->left_out ? left_out : &best;
    if (!instead->choice.kernel || wt_candidate_better(last, instead)) *instead = *last;
  }
  return best;
}

wt_candidate wt_best_candidate(const wt_context *context, const wt_gemm_plan *plan) {
  wt_candidate left_out = {.choice.kernel = NULL}, last;
  return best_of(context, plan, &left_out, &last);
}

static wt_status choose_best(wt_context *context, wt_gemm_plan *plan) {
  wt_candidate left_out = {.choice.kernel = NULL}, last;
  const wt_candidate best = best_of(context, plan, &left_out, &last);
  if (best.choice.kernel) {
    wt_pack_choose(context, plan, wt_pieces_choose(context, plan, &best));
    return WT_SUCCESS;
  }
  if (left_out.choice.kernel) return wt_fail_left_out(context, left_out.choice.kernel->stem);
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "no kernel for %s can run this: %s %s; wt_gemm_explain says so of each",
                 context->target->name, last.choice.kernel->stem, last.refusal);
}

static wt_status choose_named(wt_context *context, wt_gemm_plan *plan) {
  const wt_gemm_desc *d = &plan->desc;
  const wt_kernel *kernel = wt_kernel_find(d->kernel);
  if (!kernel)
    return wt_fail(
        context, WT_ERROR_UNKNOWN_KERNEL,
        "desc->kernel is \"%.64s\", which is not a kernel; pass a name from wt_gemm_kernel_at, or NULL",
        d->kernel);
  const wt_candidate x = wt_candidate_of(context, plan, kernel);
  plan->choice = x.choice;
  if (!x.refusal[0]) return WT_SUCCESS;
  if (x.left_out) return wt_fail_left_out(context, kernel->stem);
  return wt_fail(context, WT_ERROR_UNSUPPORTED_KERNEL,
                 "desc->kernel is %s, which %s; pass NULL to have one chosen", kernel->stem, x.refusal);
}

// Takes what the context's tuning table says about the problem. Returns false when it says nothing, or names
// what cannot run.
static bool choose_tuned(wt_context *context, wt_gemm_plan *plan) {
  wt_gemm_entry entry;
  if (plan->desc.kernel || !wt_gemm_table_find(context, plan, &entry)) return false;
  wt_gemm_plan whole = *plan;
  if (!whole.desc.split_k && !whole.desc.batch_invariant) whole.desc.split_k = entry.parts;
  if (!whole.desc.grid_window) whole.desc.grid_window = entry.window;
  if (!whole.desc.grid_chunk) whole.desc.grid_chunk = entry.chunk;
  const wt_candidate x = wt_candidate_of(context, &whole, entry.kernel);
  if (x.refusal[0] || x.choice.workspace_bytes > plan->workspace_most_bytes) return false;
  plan->choice = x.choice;
  return plan->tuned = true;
}

wt_status wt_choose(wt_context *context, wt_gemm_plan *plan) {
  const wt_gemm_desc *d = &plan->desc;
  plan->cut = (wt_gemm_cut){.row = 0};
  plan->a.packed = plan->b.packed = false;
  if (choose_tuned(context, plan)) return WT_SUCCESS;
  wt_status status = (d->kernel ? choose_named : choose_best)(context, plan);
  const uint64_t need = wt_gemm_plan_workspace(context, plan);
  if (status || need <= plan->workspace_most_bytes) return status;
  if (!d->workspace)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->workspace is NULL, but split_k %d needs %" PRIu64
                   " bytes, more than the context's limit of %" PRIu64
                   "; pass memory of the device, a larger wt_context_set_workspace_limit, or split_k 1",
                   d->split_k, need, plan->workspace_most_bytes);
  return wt_fail(context, WT_ERROR_BUFFER,
                 "desc->workspace_bytes is %zu, but split_k %d needs %" PRIu64
                 " (see wt_gemm_workspace_size); pass more, or split_k 1",
                 d->workspace_bytes, d->split_k, need);
}
