// SPDX-License-Identifier: MIT
// The launches of a grouped product: where rows are given by index, one that finds those of each group, and
// then the products.
#include <stdio.h>

#include "core/tile_order.h"
#include "gemm/kernels.h"
#include "grouped_plan.h"
#include "kernels/grouped/grouped_args.h"

static const char ranges_stem[] = "grouped_ranges";

// Where tokens are summed over, each group's tiles are shared among all dies; else those of all groups are
// one sequence, of which a die takes runs.
static void set_order(const wt_context *context, const wt_grouped_plan *plan, wt_grouped_args *args) {
  const wt_grouped_kernel *kernel = plan->kernel;
  const int64_t rows = plan->m < 0 ? plan->expected : plan->m;
  const wt_tiles group = {wt_divide_up(rows, kernel->tile_m), wt_divide_up(plan->n, kernel->tile_n),
                          (unsigned)kernel->tile_m, (unsigned)kernel->tile_n};
  wt_tiles together = group;
  if (plan->m < 0) together.tiles_m = wt_grouped_tiles_expected(plan, kernel) / group.tiles_n;
  const int chunk = wt_tile_chunk(context, &together);
  args->run = context->compute_units / WT_XCDS * kernel->resident[context->target->id];
  args->tiles_n = (int)group.tiles_n;
  args->window = wt_tile_window(&group, chunk);
  args->product.grid = wt_grid_map_of((wt_grid_order){.tiles_m = (int)group.tiles_m,
                                                      .tiles_n = (int)group.tiles_n,
                                                      .xcds = WT_XCDS,
                                                      .chunk = chunk,
                                                      .window = args->window});
}

static wt_grouped_step step_of(const wt_grouped_matrix *matrix) {
  const int64_t element = (int64_t)matrix->operand.element;
  return (wt_grouped_step){.row = matrix->token * element, .group = matrix->group * element};
}

static wt_grouped_args args_of(const wt_context *context, const wt_grouped_plan *plan, const int *ranges) {
  static const int contracts[] = {[WT_GROUP_OFFSETS] = WT_GROUPED_OFFSETS,
                                  [WT_GROUP_INDICES] = WT_GROUPED_RANGES,
                                  [WT_GROUP_MASKED] = WT_GROUPED_COUNTS};
  const wt_grouped_desc *d = &plan->desc;
  wt_grouped_args args = {
      .product = {.a = plan->a.operand.pointer,
                  .b = plan->b.operand.pointer,
                  .c = (void *)(uintptr_t)plan->c.operand.pointer,
                  .m = (int)plan->m,
                  .n = (int)plan->n,
                  .k = (int)plan->k,
                  .alpha = d->alpha,
                  .beta = d->beta,
                  .a_row = plan->a.row,
                  .a_col = plan->a.column,
                  .b_row = plan->b.row,
                  .b_col = plan->b.column,
                  .c_row = plan->c.row,
                  .type_c = (int)(plan->pass == WT_GROUPED_FORWARD          ? d->type_y
                                  : plan->pass == WT_GROUPED_BACKWARD_INPUT ? d->type_x
                                                                            : d->type_w),
                  .activation = (int)d->activation,
                  .row_scale = d->row_scale,
                  .column_scale = d->column_scale,
                  .bias = d->bias,
                  .k_part = (int)plan->k},
      .a = step_of(&plan->a),
      .b = step_of(&plan->b),
      .c = step_of(&plan->c),
      .places = ranges ? ranges : plan->places.pointer,
      .group_scale = d->group_scale,
      .contract = contracts[d->contract],
      .groups = (int)d->groups,
      .rows = (int)d->m,
  };
  set_order(context, plan, &args);
  return args;
}

static wt_status find_products(wt_context *context, const wt_grouped_plan *plan, wt_launch *launch) {
  const wt_grouped_kernel *kernel = plan->kernel;
  const wt_grouped_desc *d = &plan->desc;
  const bool forward = plan->pass == WT_GROUPED_FORWARD, weight = plan->pass == WT_GROUPED_BACKWARD_WEIGHT;
  const int held = context->compute_units * kernel->resident[context->target->id];
  *launch = (wt_launch){.x = (unsigned)wt_at_most(wt_grouped_tiles_most(plan, kernel), held),
                        .y = 1,
                        .z = 1,
                        .threads = (unsigned)kernel->threads};
  const char *a = wt_kernel_input_name(context->target, forward ? d->type_x : d->type_y);
  const char *b = wt_kernel_input_name(context->target, weight ? d->type_x : d->type_w);
  if (kernel->mechanism == WT_GROUPED_PERSISTENT)
    snprintf(launch->symbol, sizeof launch->symbol, "%s_%s_%s_%s", kernel->stem, a, b,
             wt_kernel_output_name(d->type_y));
  else
    snprintf(launch->symbol, sizeof launch->symbol, "%s_%s_%s", kernel->stem, a, b);
  return wt_launch_find(context, kernel->stem, launch);
}

static wt_status find_ranges(wt_context *context, const wt_grouped_plan *plan, wt_launch *launch) {
  *launch = (wt_launch){.symbol = "grouped_ranges",
                        .x = (unsigned)wt_divide_up(plan->desc.m, WT_GROUPED_RANGES_THREADS),
                        .y = 1,
                        .z = 1,
                        .threads = WT_GROUPED_RANGES_THREADS};
  return wt_launch_find(context, ranges_stem, launch);
}

static wt_status make_ranges(wt_context *context, const wt_grouped_plan *plan, const wt_launch *launch,
                             int *ranges, hipStream_t stream) {
  const hipError_t error = hipMemsetAsync(ranges, 0, wt_grouped_workspace(&plan->desc), stream);
  if (error != hipSuccess)
    return wt_fail(context, WT_ERROR_DEVICE, "setting the workspace to 0 on device %d failed: %s",
                   context->device, hipGetErrorString(error));
  const wt_grouped_ranges_args args = {.indices = plan->places.pointer,
                                       .ranges = ranges,
                                       .rows = (int)plan->desc.m,
                                       .groups = (int)plan->desc.groups};
  return wt_launch_enqueue(context, launch, &args, stream);
}

static void set_scales(const wt_grouped_plan *plan, wt_grouped_block_args *args) {
  const wt_operand *x = &plan->x_scale, *w = &plan->w_scale;
  args->a_scale = x->pointer, args->b_scale = w->pointer;
  args->a_scale_row = x->axes[0].stride, args->a_scale_block = x->axes[1].stride;
  args->b_scale_row = w->axes[0].stride, args->b_scale_block = w->axes[1].stride;
  args->b_scale_group = w->axes[2].stride;
}

wt_status wt_grouped_launch(wt_context *context, const wt_grouped_plan *plan, void *workspace,
                            hipStream_t stream) {
  wt_launch before, products;
  wt_status status = find_products(context, plan, &products);
  if (!status && workspace) status = find_ranges(context, plan, &before);
  if (!status && workspace) status = make_ranges(context, plan, &before, workspace, stream);
  if (status) return status;
  // Kernels without scales of blocks take the part before these.
  wt_grouped_block_args args = {.grouped = args_of(context, plan, workspace)};
  args.grouped.product.groups = (int)products.x;
  if (plan->desc.x_scale) set_scales(plan, &args);
  return wt_launch_enqueue(context, &products, &args, stream);
}
