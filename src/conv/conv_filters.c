// SPDX-License-Identifier: MIT
// wt_conv_backward_filters: check, then launch the chosen kernel, and the reduction when the output pixels
// are split. The queries stand here, too.
#include <inttypes.h>
#include <stdio.h>

#include "conv_filters_plan.h"
#include "conv_plan.h"
#include "core/workspace.h"
#include "gemm/gemm_split.h"

static wt_status check_memory(wt_context *context, const wt_conv_filters_plan *plan) {
  wt_operand all[4] = {plan->dy, plan->x, plan->dw};
  int count = 3;
  const uint64_t bytes = plan->product.choice.workspace_bytes;
  if (bytes && plan->desc.workspace) {
    all[count] = wt_operand_vector("desc->workspace", plan->desc.workspace, 1, 16, (int64_t)bytes);
    all[count++].written = true;
  }
  return wt_operands_check(context, all, count);
}

// Returns the arguments of the product, with everything that the last kernel does to dw.
static wt_gemm_args whole_args(const wt_conv_filters_plan *plan) {
  const wt_gemm_desc *d = &plan->product.desc;
  const wt_choice *choice = &plan->product.choice;
  return (wt_gemm_args){
      .a = plan->dy.pointer,
      .b = plan->x.pointer,
      .c = (void *)(uintptr_t)plan->dw.pointer,
      .m = (int)d->m,
      .n = (int)d->n,
      .k = (int)d->k,
      .k_part = (int)choice->k_part,
      .a_row = 1,
      .a_col = d->m,
      .c_row = d->n,
      .grid = wt_grid_map_of((wt_grid_order){.tiles_m = (int)choice->tiles_m,
                                             .tiles_n = (int)choice->tiles_n,
                                             .xcds = WT_XCDS,
                                             .chunk = choice->chunk,
                                             .window = choice->window}),
      .alpha = d->alpha,
      .beta = d->beta,
      .type_c = (int)d->type_c,
  };
}

static wt_status launch_all(wt_context *context, const wt_conv_filters_plan *plan, hipStream_t stream) {
  const wt_gemm_plan *product = &plan->product;
  const wt_choice *choice = &product->choice;
  const char *type = wt_kernel_input_name(context->target, plan->desc.type_x);
  const bool split = choice->parts > 1;
  wt_launch multiply = {.x = (unsigned)(choice->tiles_m * choice->tiles_n),
                        .y = (unsigned)choice->parts,
                        .z = 1,
                        .threads = choice->kernel->threads};
  wt_launch reduce;
  snprintf(multiply.symbol, sizeof multiply.symbol, "%s_%s_%s", choice->kernel->stem, type, type);
  wt_status status = wt_launch_find(context, choice->kernel->stem, &multiply);
  if (!status && split) status = wt_gemm_reduction_find(context, product, &reduce);
  if (status) return status;
  const wt_gemm_args whole = whole_args(plan);
  const wt_conv_args args = {
      .product = split ? wt_gemm_sums_args(product, whole) : whole,
      .image = wt_conv_image_of(&plan->desc, plan->p, plan->q, plan->x.element),
  };
  status = wt_launch_enqueue(context, &multiply, &args, stream);
  if (!status && split) status = wt_gemm_reduction_launch(context, product, &reduce, whole, stream);
  return status;
}

// Where the pixels are split and the descriptor has no workspace, the context's serves for the time of the
// call. When there is none to be had, the choice is made without.
static wt_status launch_with_workspace(wt_context *context, wt_conv_filters_plan *plan, hipStream_t stream) {
  wt_gemm_plan *product = &plan->product;
  const uint64_t bytes = product->choice.workspace_bytes;
  if (!bytes || plan->desc.workspace) return launch_all(context, plan, stream);
  void *workspace = wt_workspace_take(context, bytes, stream);
  product->workspace_most = 0;
  wt_status status = workspace ? WT_SUCCESS : wt_conv_filters_choose(context, plan);
  product->desc.workspace = workspace;
  if (!status) status = launch_all(context, plan, stream);
  const wt_status given = workspace ? wt_workspace_give_back(context, workspace, stream) : WT_SUCCESS;
  return status ? status : given;
}

wt_status wt_conv_filters_workspace_size(wt_context *context, const wt_conv_desc *desc, size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  wt_conv_filters_plan plan;
  wt_status status = wt_conv_filters_plan_check(context, desc, NULL, NULL, NULL, &plan);
  plan.product.workspace_most = UINT64_MAX;
  if (!status) status = wt_conv_filters_choose(context, &plan);
  if (!status) *bytes = plan.product.choice.workspace_bytes;
  return status;
}

wt_status wt_conv_filters_chosen(wt_context *context, const wt_conv_desc *desc, const char **name) {
  if (!name)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass the address of a string pointer");
  *name = NULL;
  wt_conv_filters_plan plan;
  wt_status status = wt_conv_filters_plan_check(context, desc, NULL, NULL, NULL, &plan);
  if (!status) status = wt_conv_filters_choose(context, &plan);
  if (!status) *name = plan.product.choice.kernel->stem;
  return status;
}

wt_status wt_conv_backward_filters(wt_context *context, const wt_conv_desc *desc, const void *dy,
                                   const void *x, void *dw, struct ihipStream_t *stream) {
  wt_conv_filters_plan plan;
  wt_status status = wt_conv_filters_plan_check(context, desc, dy, x, dw, &plan);
  if (!status) status = wt_conv_filters_choose(context, &plan);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &plan);
  if (!status) status = launch_with_workspace(context, &plan, stream);
  wt_device_leave(previous);
  return status;
}
