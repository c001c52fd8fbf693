// SPDX-License-Identifier: MIT
// wt_conv_forward: check, then launch the chosen kernel. The queries stand here, too.
#include <limits.h>
#include <stdio.h>

#include "conv_plan.h"
#include "core/launch.h"
#include "gemm/kernels.h"
#include "kernels/conv/conv_args.h"

static wt_conv_image image_of(const wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  const int64_t tap = d->c * (int64_t)plan->x.element;
  return (wt_conv_image){
      .out_pixels = wt_divisor_of((unsigned)(plan->p * plan->q)),
      .out_width = wt_divisor_of((unsigned)plan->q),
      .tap_row = wt_divisor_of((unsigned)(d->s * tap)),
      .tap = wt_divisor_of((unsigned)tap),
      .images = (int)d->n,
      .height = (int)d->h,
      .width = (int)d->w,
      .stride_h = (int)d->stride_h,
      .stride_w = (int)d->stride_w,
      .pad_top = (int)d->pad_top,
      .pad_left = (int)d->pad_left,
      .dilation_h = (int)d->dilation_h,
      .dilation_w = (int)d->dilation_w,
  };
}

// Work-groups walk over all filters of a row of tiles before they go on to the next pixels: images are large,
// and filters remain in the caches.
static wt_grid_map order_of(const wt_context *context, const wt_conv_plan *plan) {
  const int count = (int)(plan->tiles_m * plan->tiles_n);
  return wt_grid_map_of(
      (wt_grid_order){.tiles_m = (int)plan->tiles_m,
                      .tiles_n = (int)plan->tiles_n,
                      .xcds = WT_XCDS,
                      .chunk = wt_grid_chunk(count, WT_XCDS, context->compute_units / WT_XCDS),
                      .window = 1});
}

static wt_status launch(wt_context *context, const wt_conv_plan *plan, hipStream_t stream) {
  const wt_conv_desc *d = &plan->desc;
  const wt_conv_args args = {
      .product = {.a = plan->x.pointer,
                  .b = plan->w.pointer,
                  .c = (void *)(uintptr_t)plan->y.pointer,
                  .m = (int)plan->rows,
                  .n = (int)d->k,
                  .k = (int)plan->k,
                  .alpha = d->alpha,
                  .beta = d->beta,
                  .b_row = plan->k,
                  .b_col = 1,
                  .c_row = d->k,
                  .grid = order_of(context, plan),
                  .type_c = (int)d->type_y,
                  .activation = (int)d->activation,
                  .column_scale = d->filter_scale,
                  .bias = d->bias,
                  .k_part = (int)plan->k},
      .image = image_of(plan),
  };
  wt_launch launch = {.x = (unsigned)(plan->tiles_m * plan->tiles_n),
                      .y = 1,
                      .z = 1,
                      .threads = (unsigned)plan->kernel->threads};
  const char *x = wt_kernel_input_name(context->target, d->type_x);
  snprintf(launch.symbol, sizeof launch.symbol, "%s_%s_%s", plan->kernel->stem, x, x);
  const wt_status status = wt_launch_find(context, plan->kernel->stem, &launch);
  return status ? status : wt_launch_enqueue(context, &launch, &args, stream);
}

static wt_status check_memory(wt_context *context, const wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  wt_operand all[5] = {plan->x, plan->w, plan->y};
  int count = 3;
  if (d->filter_scale) all[count++] = wt_operand_vector("desc->filter_scale", d->filter_scale, 4, 4, d->k);
  if (d->bias) all[count++] = wt_operand_vector("desc->bias", d->bias, 4, 4, d->k);
  return wt_operands_check(context, all, count);
}

wt_status wt_conv_output_size(wt_context *context, const wt_conv_desc *desc, int64_t *p, int64_t *q) {
  if (!p || !q)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "%s is NULL; pass the address of an int64_t",
                   p ? "q" : "p");
  *p = *q = 0;
  wt_conv_plan plan;
  const wt_status status = wt_conv_plan_make(context, desc, NULL, NULL, NULL, &plan);
  if (!status) *p = plan.p, *q = plan.q;
  return status;
}

wt_status wt_conv_chosen(wt_context *context, const wt_conv_desc *desc, const char **name) {
  if (!name)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass the address of a string pointer");
  *name = NULL;
  wt_conv_plan plan;
  const wt_status status = wt_conv_plan_make(context, desc, NULL, NULL, NULL, &plan);
  if (!status) *name = plan.kernel->stem;
  return status;
}

wt_status wt_conv_forward(wt_context *context, const wt_conv_desc *desc, const void *x, const void *w,
                          void *y, struct ihipStream_t *stream) {
  wt_conv_plan plan;
  wt_status status = wt_conv_plan_make(context, desc, x, w, y, &plan);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &plan);
  if (!status) status = launch(context, &plan, stream);
  wt_device_leave(previous);
  return status;
}
