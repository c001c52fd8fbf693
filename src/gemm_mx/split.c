// SPDX-License-Identifier: MIT
// The model behind the choice, with the rates and latencies of core/target.c. It is the one of gemm/cost.c
// with the terms that matter where C has few tiles.
#include "split.h"

#include <math.h>

#include "core/target.h"
#include "kernels/gemm_mx/gemm_mx_args.h"

enum {
  MOST_PARTS = 64,
  ELEMENTS = 32,          // of a block
  STEP = 128,             // elements of K in a step; two matrices of 4 bits have twice as many
  STEPS_AHEAD = 2,        // that are in flight
  WAITS_OF_LAUNCH = 4,    // for memory, one after the other, of a product
  WAITS_OF_REDUCTION = 4  // and of the launch that adds up the parts
};

// Products of 4 and 6 bits take half the time of those of 8 (CDNA 4 ISA 7.1).
static double macs(const wt_context *context, const wt_mx_problem *x) {
  const bool is_wide = x->a->bytes == ELEMENTS || x->b->bytes == ELEMENTS;
  return context->target->macs_8 * (is_wide ? 1 : 2);
}

static double step_of(const wt_mx_problem *x) {
  const int64_t four_bits = ELEMENTS / 2;
  return x->a->bytes == four_bits && x->b->bytes == four_bits ? 2 * STEP : STEP;
}

static double cycles(const wt_context *context, const wt_mx_problem *x, const wt_mx_choice *c) {
  const wt_target *t = context->target;
  const wt_scaled_kernel *kernel = c->kernel;
  const double elements = (double)x->m * (double)x->n * (double)x->batch, parts = (double)c->parts;
  const double groups = (double)wt_divide_up(x->m, kernel->tile_m) *
                        (double)wt_divide_up(x->n, kernel->tile_n) * parts * (double)x->batch;
  const double rounds = ceil(groups / context->compute_units);
  const double steps = rounds * ceil((double)c->k_part / step_of(x));
  const double matrix =
      steps * step_of(x) * kernel->tile_m * kernel->tile_n / macs(context, x) * 100 / kernel->efficiency;
  const double latency = fmax(steps / STEPS_AHEAD - 1, 0) * t->hbm_latency;
  const double rows = (double)x->m * (double)(x->a->bytes + 1) + (double)x->n * (double)(x->b->bytes + 1);
  const double memory = rows * (double)x->k / ELEMENTS * (double)x->batch / t->hbm_rate;
  const double loop = cbrt(matrix * matrix * matrix + latency * latency * latency + memory * memory * memory);
  const double end = elements * (c->parts > 1 ? 4 * parts : (double)x->c_bytes) / t->hbm_rate;
  const double reduction = c->parts == 1 ? 0
                                         : WAITS_OF_REDUCTION * t->hbm_latency +
                                               elements * (4 * parts + (double)x->c_bytes) / t->hbm_rate;
  return WAITS_OF_LAUNCH * t->hbm_latency + loop + end + reduction;
}

// Cuts K into as many parts, or fewer, of whole grains. Returns whether the sums fit into the workspace.
static bool cut(const wt_mx_problem *x, wt_mx_choice *c, int64_t parts) {
  const int64_t grains = wt_divide_up(x->k, WT_GEMM_MX_GRAIN), per_part = wt_divide_up(grains, parts);
  const uint64_t row = (uint64_t)wt_divide_up(x->n, 4) * 4 * 4;  // wt_gemm_plan_sums_row
  uint64_t bytes;
  c->parts = wt_divide_up(grains, per_part);
  c->k_part = c->parts > 1 ? per_part * WT_GEMM_MX_GRAIN : x->k;
  c->workspace_bytes = 0;
  if (c->parts == 1) return true;
  if (__builtin_mul_overflow(row, (uint64_t)x->m, &bytes) ||
      __builtin_mul_overflow(bytes, (uint64_t)x->batch, &bytes) ||
      __builtin_mul_overflow(bytes, (uint64_t)c->parts, &bytes))
    return false;
  c->workspace_bytes = bytes;
  return bytes <= x->workspace_most;
}

static void consider(const wt_context *context, const wt_mx_problem *x, const wt_scaled_kernel *kernel,
                     int64_t parts, wt_mx_choice *best) {
  wt_mx_choice c = {.kernel = kernel};
  if (!cut(x, &c, parts) && !x->split_k) return;  // a split that was asked for is refused by the caller
  c.cycles = cycles(context, x, &c);
  const bool built = wt_context_has(context, kernel->name);
  const bool best_built = best->kernel && wt_context_has(context, best->kernel->name);
  if (!best->kernel || (built != best_built ? built : c.cycles < best->cycles)) *best = c;
}

wt_mx_choice wt_mx_choose(const wt_context *context, const wt_mx_problem *x) {
  wt_mx_choice best = {.kernel = NULL};
  const wt_scaled_kernel *kernel;
  const int64_t first = x->split_k ? x->split_k : 1, last = x->split_k ? x->split_k : MOST_PARTS;
  for (int i = 0; (kernel = wt_mx_kernel_at(x->a, x->b, x->scales, i)); ++i)
    for (int64_t parts = first; parts <= last; ++parts) consider(context, x, kernel, parts, &best);
  return best;
}
