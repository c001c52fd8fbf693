// SPDX-License-Identifier: MIT
// Says which tiles are cut, into ranges of how many grains, and how much memory their sums take.
#include "stream.h"

#include "core/launch.h"

// Loads begin with a line of memory where K is cut at multiples of two steps of the chip with the shorter
// ones.
enum { STEPS_OF_LINES = 2 };

wt_stream_cut wt_stream_cut_of(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                               int64_t tiles) {
  const int64_t resident = wt_kernel_resident(kernel, context->target);
  wt_stream_cut cut = {.ranges = context->compute_units * resident / WT_XCDS * WT_XCDS};
  if (cut.ranges < WT_XCDS) cut.ranges = WT_XCDS;
  cut.whole = tiles / cut.ranges * cut.ranges, cut.tiles = tiles - cut.whole;
  const int64_t step = wt_gemm_plan_step(context, plan);
  cut.grain = wt_divide_up(kernel->least_steps, STEPS_OF_LINES) * STEPS_OF_LINES * step;
  // The kernel multiplies numbers of grains and of ranges in 32 bits.
  while (plan->desc.k / cut.grain > INT32_MAX / cut.ranges / cut.ranges) cut.grain *= 2;
  cut.tile_grains = plan->desc.k / cut.grain;
  return cut;
}

uint64_t wt_stream_bytes(const wt_kernel *kernel, const wt_stream_cut *cut) {
  const uint64_t segments = (uint64_t)(cut->ranges + cut->tiles - 1);
  return cut->tiles ? segments * kernel->tile_m * kernel->tile_n * sizeof(float) : 0;
}

wt_gemm_stream_args wt_stream_args(const wt_context *context, const wt_gemm_plan *plan,
                                   wt_gemm_args product) {
  const wt_choice *c = &plan->choice;
  const wt_stream_cut cut = wt_stream_cut_of(context, plan, c->kernel, c->tiles_m * c->tiles_n);
  const int64_t share = cut.tiles / WT_XCDS;
  product.k_part = (int)cut.grain;
  return (wt_gemm_stream_args){.product = product,
                               .sums = plan->desc.workspace,
                               .ranges = wt_divisor_of((unsigned)cut.ranges),
                               .tile = wt_divisor_of((unsigned)cut.tile_grains),
                               .grains = wt_divisor_of((unsigned)(cut.tiles * cut.tile_grains)),
                               .share = wt_divisor_of((unsigned)(share ? share : 1)),
                               .whole = (int)cut.whole,
                               .tiles = (int)cut.tiles,
                               .tile_m = (int)c->kernel->tile_m,
                               .tile_n = (int)c->kernel->tile_n};
}
