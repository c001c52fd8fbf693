// SPDX-License-Identifier: MIT
// Makes the launches of a grouped product: where rows are given by index, one that finds those of each group,
// and then the products.
#include <stdio.h>

#include "core/blocks.h"
#include "core/f32_scales.h"
#include "core/tile_order.h"
#include "gemm/kernels.h"
#include "grouped_plan.h"
#include "kernels/grouped/grouped_args.h"

static const char ranges_stem[] = "grouped_ranges";

// Returns how many consecutive tiles a die takes. The kernels whose copies wait for memory most take the
// die's share of all tiles, so that few dies bring the same matrix from memory.
static int run_of(const wt_context *context, const wt_grouped_kernel *kernel) {
  const bool is_copied_fast = kernel->mechanism == WT_GROUPED_PERSISTENT ||
                              kernel->mechanism == WT_GROUPED_MX || wt_grouped_takes_powers(kernel);
  if (is_copied_fast && kernel->tile_m >= 256) return INT32_MAX;
  return context->compute_units / WT_XCDS * kernel->resident[context->target->id];
}

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
  args->run = run_of(context, kernel);
  args->tiles_n = (int)group.tiles_n;
  args->window = wt_tile_window(&group, chunk);
  args->product.grid = wt_grid_map_of((wt_grid_order){.tiles_m = (int)group.tiles_m,
                                                      .tiles_n = (int)group.tiles_n,
                                                      .xcds = WT_XCDS,
                                                      .chunk = chunk,
                                                      .window = args->window});
}

static wt_grouped_step step_of(const wt_grouped_matrix *matrix) {
  const int64_t element_bytes = (int64_t)matrix->operand.element_bytes;
  return (wt_grouped_step){.token = matrix->token * element_bytes, .group = matrix->group * element_bytes};
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
                  .type_c = (int)plan->c.member.type,
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
      .tokens = plan->k < 0 ? WT_GROUPED_DEPTH : WT_GROUPED_ROWS,
      .groups = (int)d->groups,
      .rows = (int)d->m,
  };
  set_order(context, plan, &args);
  return args;
}

// Scales move with the tokens as their operand does: A's, and B's where tokens are summed over.
static wt_grouped_step a_scale_step(const wt_grouped_plan *plan) {
  const wt_axis *axes = plan->a_scale.axes;
  return (wt_grouped_step){.token = axes[plan->k < 0].stride};
}
static wt_grouped_step b_scale_step(const wt_grouped_plan *plan) {
  const wt_axis *axes = plan->b_scale.axes;
  return plan->k < 0 ? (wt_grouped_step){.token = axes[1].stride}
                     : (wt_grouped_step){.group = axes[2].stride};
}

// Returns the name of an operand's type in symbols.
static const char *type_name(const wt_context *context, const wt_grouped_plan *plan,
                             const wt_grouped_matrix *matrix) {
  const wt_type type = matrix->member.type;
  return plan->scaling == WT_GROUPED_E8M0 ? wt_block_a_format_of(type)->name
                                          : wt_kernel_input_name(context->target, type);
}

static wt_status find_products(wt_context *context, const wt_grouped_plan *plan, wt_launch *launch) {
  const wt_grouped_kernel *kernel = plan->kernel;
  const int held = context->compute_units * kernel->resident[context->target->id];
  *launch = (wt_launch){.x = (unsigned)wt_at_most(wt_grouped_tiles_most(plan, kernel), held),
                        .y = 1,
                        .z = 1,
                        .threads = (unsigned)kernel->threads};
  const char *a = type_name(context, plan, &plan->a), *b = type_name(context, plan, &plan->b);
  if (kernel->mechanism == WT_GROUPED_PERSISTENT)
    snprintf(launch->symbol, sizeof launch->symbol, "%s_%s_%s_%s", kernel->stem, a, b,
             wt_kernel_output_name(plan->c.member.type));
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

static wt_status launch_block(wt_context *context, const wt_grouped_plan *plan, const wt_launch *products,
                              wt_grouped_args args, hipStream_t stream) {
  const wt_operand *a = &plan->a_scale, *b = &plan->b_scale;
  const wt_grouped_block_args all = {.grouped = args,
                                     .a_scale = a->pointer,
                                     .b_scale = b->pointer,
                                     .a_scale_row = a->axes[0].stride,
                                     .a_scale_block = a->axes[1].stride,
                                     .b_scale_row = b->axes[0].stride,
                                     .b_scale_block = b->axes[1].stride,
                                     .a_scale_step = a_scale_step(plan),
                                     .b_scale_step = b_scale_step(plan)};
  return wt_launch_enqueue(context, products, &all, stream);
}

static wt_status launch_mx(wt_context *context, const wt_grouped_plan *plan, const wt_launch *products,
                           wt_grouped_args args, hipStream_t stream) {
  const wt_operand *a = &plan->a_scale, *b = &plan->b_scale;
  const wt_grouped_mx_args all = {.grouped = args,
                                  .a_scale = a->pointer,
                                  .b_scale = b->pointer,
                                  .a_scale_row_bytes = a->axes[0].stride,
                                  .b_scale_row_bytes = b->axes[0].stride,
                                  .a_scale_step = a_scale_step(plan),
                                  .b_scale_step = b_scale_step(plan)};
  return wt_launch_enqueue(context, products, &all, stream);
}

// Launches a kernel for powers of two, whose strides are in bytes.
static wt_status launch_powers(wt_context *context, const wt_grouped_plan *plan, const wt_launch *products,
                               wt_grouped_args args, hipStream_t stream) {
  enum { SCALE_BYTES = sizeof(float) };
  const wt_operand *a = &plan->a_scale, *b = &plan->b_scale;
  const wt_grouped_step of_a = a_scale_step(plan), of_b = b_scale_step(plan);
  const wt_grouped_mx_args all = {
      .grouped = args,
      .a_scale = a->pointer,
      .b_scale = b->pointer,
      .a_scale_row_bytes = wt_f32_scales_step_bytes(a, 0),
      .b_scale_row_bytes = wt_f32_scales_step_bytes(b, 0),
      .a_scale_step = {.token = of_a.token * SCALE_BYTES, .group = of_a.group * SCALE_BYTES},
      .b_scale_step = {.token = of_b.token * SCALE_BYTES, .group = of_b.group * SCALE_BYTES},
      .a_scale_block_bytes = wt_f32_scales_step_bytes(a, 1),
      .b_scale_block_bytes = wt_f32_scales_step_bytes(b, 1)};
  return wt_launch_enqueue(context, products, &all, stream);
}

wt_status wt_grouped_launch(wt_context *context, const wt_grouped_plan *plan, void *workspace,
                            hipStream_t stream) {
  wt_launch before, products;
  wt_status status = find_products(context, plan, &products);
  if (!status && workspace) status = find_ranges(context, plan, &before);
  if (!status && workspace) status = make_ranges(context, plan, &before, workspace, stream);
  if (status) return status;
  wt_grouped_args args = args_of(context, plan, workspace);
  args.product.groups = (int)products.x;
  switch (plan->scaling) {
    case WT_GROUPED_UNSCALED: break;
    case WT_GROUPED_F32:
      return (wt_grouped_takes_powers(plan->kernel) ? launch_powers : launch_block)(context, plan, &products,
                                                                                    args, stream);
    case WT_GROUPED_E8M0: return launch_mx(context, plan, &products, args, stream);
  }
  return wt_launch_enqueue(context, &products, &args, stream);
}
