// SPDX-License-Identifier: MIT
// Which kernels can run a descriptor, and which of them is predicted to take the least time.
#include "choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/launch.h"
#include "core/tile_order.h"
#include "core/types.h"
#include "table.h"

// ---- which can run it

static const char *input_list(unsigned inputs) {
  if (inputs == WT_INPUT_F8) return "A and B of one FP8 type";
  if (inputs == (WT_INPUT_F8 | WT_INPUT_F8_MIXED)) return "FP8 inputs";
  if (inputs == (WT_INPUT_ALL & ~WT_INPUT_I8)) return "FP8, BF16 or F16 inputs";
  if (inputs == WT_INPUT_BF16) return "BF16 inputs";
  return inputs == WT_INPUT_I8 ? "I8 inputs" : "other input types";
}

// The first member of the descriptor that goes beyond alpha and beta; NULL when none does.
static const char *epilogue_member(const wt_gemm_desc *d) {
  if (d->row_scale) return "row_scale";
  if (d->column_scale) return "column_scale";
  if (d->bias) return "bias";
  return d->activation ? "activation" : NULL;
}

#define REFUSE(...) return (void)snprintf(why, size, __VA_ARGS__), true

// Elements of K in a step of the kernels that copy tiles.
static int64_t k_step(const wt_context *context, const wt_gemm_plan *plan) {
  return context->target->step_bytes / (int64_t)plan->a.element;
}

// Elements that each part of K must have.
static int64_t least_k(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel) {
  return kernel->needs == WT_NEEDS_COPIES ? kernel->least_steps * k_step(context, plan) : 1;
}

// `of` names all matrices of which this is asked.
static bool refuses_rows(const wt_gemm_plan *plan, const char *of, const wt_gemm_matrix *matrix,
                         unsigned tile, char *why, size_t size) {
  const int64_t element = (int64_t)matrix->element;
  if (matrix->ld * element % 16)
    REFUSE("needs rows of %s at multiples of 16 bytes, but ld%s is %" PRId64, of, matrix->name, matrix->ld);
  if (plan->desc.batch > 1 && matrix->stride * element % 16)
    REFUSE("needs rows of %s at multiples of 16 bytes, but stride_%s is %" PRId64, of, matrix->name,
           matrix->stride);
  if (matrix->ld >= INT32_MAX / (tile * element) - 1)
    REFUSE("needs less than 2 GB from the first to the last row of a tile, but ld%s is %" PRId64,
           matrix->name, matrix->ld);
  return false;
}

static bool refuses_copies(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                           char *why, size_t size) {
  const int64_t least = least_k(context, plan, kernel);
  if (plan->desc.k < least) REFUSE("needs k of at least %" PRId64 ", but k is %" PRId64, least, plan->desc.k);
  if (refuses_rows(plan, "A and B", &plan->a, kernel->tile_m, why, size)) return true;
  if (refuses_rows(plan, "A and B", &plan->b, kernel->tile_n, why, size)) return true;
  if (plan->misaligned) REFUSE("needs rows of A and B at multiples of 16 bytes, but a or b is not at one");
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
  const int64_t step = k_step(context, plan);
  if (plan->c.element != 2) REFUSE("writes BF16 or F16, but type_c is %s", wt_type_name(d->type_c));
  if (epilogue_member(d)) REFUSE("applies alpha only, but %s is set", epilogue_member(d));
  if (d->beta != 0) REFUSE("applies alpha only, but beta is %g", (double)d->beta);
  if (d->split_k > 1) REFUSE("does not split K, but split_k is %d", d->split_k);
  if (d->k % step) REFUSE("needs k in steps of %" PRId64 ", but k is %" PRId64, step, d->k);
  if (d->n % 8) REFUSE("stores 8 columns at once, but n is %" PRId64, d->n);
  if (plan->c_misaligned) REFUSE("needs rows of C at multiples of 16 bytes, but c is not at one");
  return refuses_rows(plan, "C", &plan->c, kernel->tile_m, why, size);
}

// Returns whether the kernel cannot run the descriptor, and if so says why.
static bool refuses(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel, char *why,
                    size_t size) {
  const wt_gemm_desc *d = &plan->desc;
  if (!wt_context_knows(context, kernel->stem))
    REFUSE("is not compiled for %s, which the device is", context->target->name);
  if (!(kernel->inputs & wt_kernel_inputs(context->target, d->type_a, d->type_b)))
    REFUSE("takes %s, but type_a is %s and type_b is %s", input_list(kernel->inputs), wt_type_name(d->type_a),
           wt_type_name(d->type_b));
  if (kernel->needs != WT_NEEDS_NOTHING && (d->trans_a || d->trans_b))
    REFUSE("needs %s, but trans_a is %d and trans_b is %d", wt_kernel_needs_text(WT_NEEDS_K_CONTIGUOUS),
           d->trans_a, d->trans_b);
  if (kernel->most_m && d->m > kernel->most_m)
    REFUSE("needs m of at most %d, but m is %" PRId64, kernel->most_m, d->m);
  // A launch counts the work-items of each dimension in 32 bits (HSA AQL kernel dispatch packet,
  // grid_size_x).
  const int64_t most_n = (int64_t)UINT32_MAX / kernel->threads * kernel->tile_n;
  if (d->n > most_n) REFUSE("covers n of at most %" PRId64 " in a launch, but n is %" PRId64, most_n, d->n);
  if (kernel->needs == WT_NEEDS_COPIES && refuses_copies(context, plan, kernel, why, size)) return true;
  if (kernel->kind == WT_KERNEL_PERSISTENT && refuses_persistent(context, plan, kernel, why, size))
    return true;
  return kernel->kind == WT_KERNEL_RUNG && refuses_rung(plan, kernel, why, size);
}

// ---- what it takes

// Cycles of a work-group before and after its K loop, per element of its tile: a 256x256 tile's prologue took
// 2708 and its epilogue 18,552 (measured on an MI355X: ROCm, gfx950-gluon-tutorials,
// docs/mfma_efficiency.md).
static const double edge_cycles = (2708.0 + 18552.0) / (256 * 256);
// Between two tiles of a persistent work-group half of these cycles are left (predicted by the timing model:
// 7 of 15 thousand cycles at M = N = K = 8192 in FP8).
static double edges(const wt_kernel *kernel, double rounds) {
  return kernel->kind == WT_KERNEL_PERSISTENT ? (1 + rounds) / 2 : rounds;
}
// The reduction is one launch more. A GEMM of no K at all took about as long as the above (its published time
// at M = N = 4096 over K has an intercept of 9 to 11 us: PyHIP, docs/gemm_950_optimization.md).
static const double launch_cycles = 2708.0 + 18552.0;

static double macs_per_clock(const wt_context *context, const wt_gemm_plan *plan) {
  return plan->a.element == 1 ? context->target->macs_8 : context->target->macs_16;
}

static uint64_t sums_bytes(const wt_gemm_plan *plan, int64_t parts) {
  uint64_t elements, bytes;
  if (__builtin_mul_overflow((uint64_t)plan->desc.m, (uint64_t)wt_gemm_plan_sums_row(plan), &elements) ||
      __builtin_mul_overflow(elements, (uint64_t)plan->desc.batch, &elements) ||
      __builtin_mul_overflow(elements, 4 * (uint64_t)parts, &bytes))
    return UINT64_MAX;
  return bytes;
}

// Cuts K into at most `parts` parts of whole grains, the last of which has at least `least`; fewer where that
// takes it.
static void cut_k(wt_choice *c, int64_t k, int64_t parts, int64_t least) {
  const int64_t grains = wt_divide_up(k, WT_SPLIT_GRAIN);
  for (int64_t per_part = wt_divide_up(grains, parts);; ++per_part) {
    c->parts = wt_divide_up(grains, per_part);
    c->k_part = c->parts > 1 ? per_part * WT_SPLIT_GRAIN : k;
    if (c->parts == 1 || k - (c->parts - 1) * c->k_part >= least) return;
  }
}

// The kernel's own order, or the one that suits the problem.
static void order_tiles(const wt_context *context, const wt_gemm_plan *plan, wt_choice *c) {
  const wt_kernel *kernel = c->kernel;
  const wt_tiles tiles = {c->tiles_m, c->tiles_n, kernel->tile_m, kernel->tile_n};
  c->chunk = plan->desc.grid_chunk ? plan->desc.grid_chunk : kernel->chunk;
  if (!c->chunk) c->chunk = wt_tile_chunk(context, &tiles);
  c->window = plan->desc.grid_window ? plan->desc.grid_window : kernel->window;
  if (!c->window) c->window = wt_tile_window(&tiles, c->chunk);
}

// Returns the kernel with at most `parts` parts of K.
static wt_candidate cut(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                        int64_t parts) {
  const wt_gemm_desc *d = &plan->desc;
  wt_candidate x = {.choice.kernel = kernel};
  wt_choice *c = &x.choice;
  cut_k(c, d->k, parts, least_k(context, plan, kernel));
  c->tiles_m = wt_divide_up(d->m, kernel->tile_m);
  c->tiles_n = wt_divide_up(d->n, kernel->tile_n);
  order_tiles(context, plan, c);
  c->workspace_bytes = c->parts > 1 ? sums_bytes(plan, c->parts) : 0;
  const double groups = (double)c->tiles_m * (double)c->tiles_n * (double)d->batch * (double)c->parts;
  const double rounds = ceil(groups / context->compute_units);
  x.rounds = rounds < (double)INT64_MAX ? (int64_t)rounds : INT64_MAX;
  if (kernel->kind == WT_KERNEL_RUNG) return x;
  x.cycles = kernel->tile_m * kernel->tile_n *
             (rounds * (double)c->k_part / (macs_per_clock(context, plan) * kernel->efficiency / 100) +
              edges(kernel, rounds) * edge_cycles);
  if (c->parts > 1) {  // the sums are written, read and reduced
    const double moved = 2.0 * (double)c->workspace_bytes + (double)plan->c.bytes;
    x.cycles += launch_cycles + moved / context->target->memory_bytes;
  }
  return x;
}

wt_candidate wt_candidate_of(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                             bool any_workspace) {
  const wt_gemm_desc *d = &plan->desc;
  wt_candidate best = cut(context, plan, kernel, d->split_k ? d->split_k : 1);
  if (refuses(context, plan, kernel, best.refusal, sizeof best.refusal)) return best;
  if (!wt_context_has(context, kernel->stem)) {
    best.left_out = true;
    snprintf(best.refusal, sizeof best.refusal, "was left out when this library was built (WT_KERNELS)");
    return best;
  }
  if (d->split_k || kernel->kind != WT_KERNEL_LIBRARY || !wt_context_has(context, WT_REDUCTION_STEM))
    return best;
  // K is split only to occupy compute units that would have nothing to do.
  const double groups = (double)best.choice.tiles_m * (double)best.choice.tiles_n * (double)d->batch;
  const int64_t most = groups < context->compute_units ? (int64_t)(context->compute_units / groups) : 1;
  const uint64_t available = any_workspace ? UINT64_MAX : d->workspace ? d->workspace_bytes : 0;
  for (int64_t parts = 2; parts <= most; ++parts) {
    const wt_candidate x = cut(context, plan, kernel, parts);
    if (x.cycles < best.cycles && x.choice.workspace_bytes <= available) best = x;
  }
  return best;
}

bool wt_candidate_better(const wt_candidate *x, const wt_candidate *y) {
  const wt_kernel *a = x->choice.kernel, *b = y->choice.kernel;
  const bool rung = a->kind == WT_KERNEL_RUNG;
  if (rung != (b->kind == WT_KERNEL_RUNG)) return !rung;
  if (rung) return a > b;  // by the order of the table
  if (!a->most_m != !b->most_m) return a->most_m != 0;
  return x->cycles < y->cycles;
}

static wt_status choose_best(wt_context *context, wt_gemm_plan *plan, bool any_workspace) {
  wt_candidate best = {.choice.kernel = NULL}, left_out = best, x = best;
  for (size_t i = 0; i < wt_kernel_count; ++i) {
    x = wt_candidate_of(context, plan, &wt_kernels[i], any_workspace);
    if (x.refusal[0] && !x.left_out) continue;
    wt_candidate *instead = x.left_out ? &left_out : &best;
    if (!instead->choice.kernel || wt_candidate_better(&x, instead)) *instead = x;
  }
  plan->choice = best.choice;
  if (best.choice.kernel) return WT_SUCCESS;
  if (left_out.choice.kernel) return wt_fail_left_out(context, left_out.choice.kernel->stem);
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "no kernel for %s can run this: %s %s; wt_gemm_explain says so of each",
                 context->target->name, x.choice.kernel->stem, x.refusal);
}

static wt_status choose_named(wt_context *context, wt_gemm_plan *plan, bool any_workspace) {
  const wt_gemm_desc *d = &plan->desc;
  const wt_kernel *kernel = wt_kernel_find(d->kernel);
  if (!kernel)
    return wt_fail(
        context, WT_ERROR_UNKNOWN_KERNEL,
        "desc->kernel is \"%.64s\", which is not a kernel; pass a name from wt_gemm_kernel_at, or NULL",
        d->kernel);
  const wt_candidate x = wt_candidate_of(context, plan, kernel, any_workspace);
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
  whole.desc.split_k = 1;
  if (!whole.desc.grid_window) whole.desc.grid_window = entry.window;
  if (!whole.desc.grid_chunk) whole.desc.grid_chunk = entry.chunk;
  const wt_candidate x = wt_candidate_of(context, &whole, entry.kernel, false);
  if (x.refusal[0]) return false;
  plan->choice = x.choice;
  return plan->tuned = true;
}

wt_status wt_choose(wt_context *context, wt_gemm_plan *plan, bool any_workspace) {
  const wt_gemm_desc *d = &plan->desc;
  if (choose_tuned(context, plan)) return WT_SUCCESS;
  wt_status status = (d->kernel ? choose_named : choose_best)(context, plan, any_workspace);
  if (status || any_workspace || plan->choice.parts == 1) return status;
  const uint64_t need = plan->choice.workspace_bytes;
  if (!d->workspace)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->workspace is NULL, but split_k %d needs %" PRIu64
                   " bytes; pass memory of the device, or split_k 1",
                   d->split_k, need);
  if (d->workspace_bytes < need)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "desc->workspace_bytes is %zu, but split_k %d needs %" PRIu64
                   " (see wt_gemm_workspace_size); pass more, or split_k 1",
                   d->workspace_bytes, d->split_k, need);
  return WT_SUCCESS;
}
