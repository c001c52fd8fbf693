// SPDX-License-Identifier: MIT
// Launches a convolution's kernel.
#include <stdio.h>

#include "conv_plan.h"
#include "gemm/kernels.h"

wt_conv_image wt_conv_image_of(const wt_conv_desc *d, int64_t p, int64_t q, size_t element) {
  const int64_t tap = d->c * (int64_t)element;
  return (wt_conv_image){
      .out_pixels = wt_divisor_of((unsigned)(p * q)),
      .out_width = wt_divisor_of((unsigned)q),
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

wt_status wt_conv_launch_find(wt_context *context, const wt_conv_plan *plan, wt_launch *launch) {
  const char *x = wt_kernel_input_name(context->target, plan->desc.type_x);
  *launch = (wt_launch){.x = (unsigned)(plan->tiles_m * plan->tiles_n),
                        .y = 1,
                        .z = 1,
                        .threads = (unsigned)plan->kernel->threads};
  snprintf(launch->symbol, sizeof launch->symbol, "%s%s_%s_%s", plan->kernel->stem,
           plan->phases ? "_phases" : "", x, x);
  return wt_launch_find(context, plan->kernel->stem, launch);
}

wt_status wt_conv_launch(wt_context *context, const wt_conv_plan *plan, const wt_launch *launch,
                         hipStream_t stream) {
  const wt_conv_desc *d = &plan->desc;
  const wt_conv_args args = {
      .product = {.a = plan->x.pointer,
                  .b = plan->filters,
                  .c = (void *)(uintptr_t)plan->y.pointer,
                  .m = (int)(d->n * plan->p * plan->q),
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
      .image = wt_conv_image_of(d, plan->p, plan->q, plan->x.element),
  };
  if (plan->phases) return wt_conv_launch_phases(context, plan, launch, &args, stream);
  return wt_launch_enqueue(context, launch, &args, stream);
}
