// SPDX-License-Identifier: MIT
// This is the model behind the choice, with the rates and latencies of core/target.c. It is the one of
// gemm/cost.c with the terms that matter where C has few tiles.
#include "split.h"

#include <math.h>

#include "core/target.h"
#include "gemm/cut.h"
#include "kernels/gemm_mx/gemm_mx_args.h"

enum {
  MOST_PARTS = 64,
  ELEMENTS = 32,          // of a block
  STEPS_AHEAD = 2,        // that are in flight
  WAITS_OF_LAUNCH = 4,    // for memory, one after the other, of a product
  WAITS_OF_REDUCTION = 4  // and of the launch that adds up the parts
};

// Returns how often a compute unit waits for memory, if nothing else takes time. Waves that share K have one
// step in flight besides the one that they multiply, and the work-groups of a compute unit wait together.
static double waits_of_loop(const wt_context *context, const wt_scaled_kernel *kernel, double groups,
                            double steps) {
  if (kernel->waves_k == 1) return ceil(groups / context->compute_units) * steps / STEPS_AHEAD;
  return ceil(groups / context->compute_units / kernel->resident) * ceil(steps / kernel->waves_k);
}

static double cycles(const wt_context *context, const wt_mx_problem *x, const wt_mx_choice *c) {
  const wt_target *t = context->target;
  const wt_scaled_kernel *kernel = c->kernel;
  const double elements = (double)x->m * (double)x->n * (double)x->batch, parts = (double)c->parts;
  const double groups = (double)wt_divide_up(x->m, kernel->tile_m) *
                        (double)wt_divide_up(x->n, kernel->tile_n) * parts * (double)x->batch;
  const double rounds = ceil(groups / context->compute_units);
  const double step = (double)wt_blocks_step(x->a, x->b), steps = ceil((double)c->k_part / step);
  const double matrix = rounds * steps * step * kernel->tile_m * kernel->tile_n /
                        wt_blocks_macs(context, x->a, x->b) * 100 / kernel->efficiency;
  const double latency = fmax(waits_of_loop(context, kernel, groups, steps) - 1, 0) * t->hbm_latency;
  const double rows = (double)x->m * (double)(x->a->bytes + 1) + (double)x->n * (double)(x->b->bytes + 1);
  const double memory = rows * (double)x->k / ELEMENTS * (double)x->batch / t->hbm_rate;
  const double loop = cbrt(matrix * matrix * matrix + latency * latency * latency + memory * memory * memory);
  const double end = elements * (c->parts > 1 ? 4 * parts : (double)x->c_bytes) / t->hbm_rate;
  const double reduction = c->parts == 1 ? 0
                                         : WAITS_OF_REDUCTION * t->hbm_latency +
                                               elements * (4 * parts + (double)x->c_bytes) / t->hbm_rate;
  // Efficiencies leave out that other work-groups begin anew in each round, as it is alike for them.
  const double saved = kernel->is_persistent ? (rounds - 1) * WAITS_OF_LAUNCH * t->hbm_latency : 0;
  return WAITS_OF_LAUNCH * t->hbm_latency + loop + end + reduction - saved;
}

static wt_mx_choice choice_of(const wt_context *context, const wt_mx_problem *x,
                              const wt_scaled_kernel *kernel, int64_t parts) {
  const wt_cut_parts cut = wt_cut_into(x->k, WT_GEMM_MX_GRAIN, parts, 1);
  wt_mx_choice c = {.kernel = kernel,
                    .parts = cut.parts,
                    .k_part = cut.k_part,
                    .workspace_bytes = wt_cut_sums_bytes(x->m, x->n, x->batch, cut.parts)};
  c.cycles = cycles(context, x, &c);
  return c;
}

// Returns the split of K with which the kernel takes the fewest cycles. One that was asked for is taken
// whatever the workspace: the caller refuses it.
static wt_mx_choice best_of(const wt_context *context, const wt_mx_problem *x,
                            const wt_scaled_kernel *kernel) {
  if (x->split_k || kernel->is_persistent)
    return choice_of(context, x, kernel, kernel->is_persistent ? 1 : x->split_k);
  wt_mx_choice best = choice_of(context, x, kernel, 1);
  for (int64_t parts = 2; parts <= MOST_PARTS; ++parts) {
    const wt_mx_choice c = choice_of(context, x, kernel, parts);
    if (c.cycles < best.cycles && c.workspace_bytes <= x->workspace_most_bytes) best = c;
  }
  return best;
}

// Kernels for few rows have offsets of 32 bits to the rows of a tile.
static bool reaches_rows(const wt_scaled_kernel *kernel, const wt_mx_problem *x) {
  const unsigned rows = kernel->tile_m > kernel->tile_n ? kernel->tile_m : kernel->tile_n;
  return kernel->waves_k == 1 || x->row_bytes <= UINT32_MAX / rows - 1;
}

static bool suits(const wt_scaled_kernel *kernel, const wt_mx_problem *x) {
  if (!kernel->is_persistent) return reaches_rows(kernel, x);
  return x->suits_persistent && x->k >= kernel->least_k && x->k % WT_GEMM_MX_GRAIN == 0;
}

wt_mx_choice wt_mx_choose(const wt_context *context, const wt_mx_problem *x) {
  wt_mx_choice best = {.kernel = NULL};
  bool best_built = false;
  const wt_scaled_kernel *kernel;
  for (int i = 0; (kernel = wt_mx_kernel_at(x->a, x->b, x->scales, i)); ++i) {
    if (!suits(kernel, x)) continue;
    const wt_mx_choice c = best_of(context, x, kernel);
    const bool built = wt_context_has(context, kernel->name);
    if (!best.kernel || (built != best_built ? built : c.cycles < best.cycles)) best = c, best_built = built;
  }
  return best;
}
