// SPDX-License-Identifier: MIT
// Makes the plans of a convolution and of its gradient of the images.
#include "conv_plan.h"

#include <string.h>

#include "conv_check.h"
#include "core/types.h"

static wt_status make_tensors(wt_context *context, wt_conv_plan *plan, const wt_conv_desc *d, const void *x,
                              const void *w, const void *y) {
  const int64_t sizes_x[] = {d->n, d->h, d->w, d->c}, sizes_w[] = {d->k, d->r, d->s, d->c};
  const int64_t sizes_y[] = {d->n, plan->p, plan->q, d->k};
  wt_status status = wt_conv_tensor(context, "x", x, d->type_x, sizes_x, &plan->x);
  if (!status) status = wt_conv_tensor(context, "w", w, d->type_w, sizes_w, &plan->w);
  if (!status) status = wt_conv_tensor(context, "y", y, d->type_y, sizes_y, &plan->y);
  return status;
}

wt_status wt_conv_plan_make(wt_context *context, const wt_conv_desc *desc, const void *x, const void *w,
                            const void *y, wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  memset(plan, 0, sizeof *plan);
  wt_status status = wt_conv_check_begin(context, desc, &plan->desc, &plan->p, &plan->q);
  if (!status)
    status = wt_conv_check_types(context, (wt_conv_type){"type_x", d->type_x},
                                 (wt_conv_type){"type_w", d->type_w}, (wt_conv_type){"type_y", d->type_y});
  if (status) return status;
  const int64_t element_bytes = (int64_t)wt_type_size(d->type_x);
  status = wt_conv_check_product(context, "the output pixels, desc->n with p and q of each image,",
                                 "pass fewer images at once", d->n, plan->p, plan->q, &plan->rows);
  if (!status)
    status = wt_conv_check_product(context,
                                   "the bytes of a filter, desc->r, desc->s and those of desc->c channels,",
                                   "pass a smaller filter", d->r, d->s, d->c * element_bytes, &plan->k);
  if (!status) status = make_tensors(context, plan, d, x, w, y);
  if (status) return status;
  plan->k /= element_bytes;
  plan->y.written = true;
  plan->channels = "c", plan->filters = w;
  plan->reach_h = d->h + d->pad_top + d->pad_bottom, plan->reach_w = d->w + d->pad_left + d->pad_right;
  return wt_conv_choose(context, plan);
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

static wt_conv_direction direction_of(int64_t size, int64_t taps, int64_t stride, int64_t pad,
                                      int64_t dilation) {
  const int64_t common = common_divisor(stride, dilation), period = stride / common;
  return (wt_conv_direction){.size = size,
                             .taps = taps,
                             .stride = stride,
                             .pad = pad,
                             .dilation = dilation,
                             .common = common,
                             .period = period,
                             .phases = wt_at_most(taps, period)};
}

// Makes the convolution of dy of the one that `plan` has. Pixel p of dy and tap r give pixel p * stride - pad
// + r * dilation of dx, along each direction. So a pixel h of dx and the taps r with r * dilation = h + pad,
// modulo the stride, meet at pixel (h + pad - r * dilation) / stride of dy. These taps are every period-th,
// and each step to the next is one of dilation / common in dy.
static void rotate_filters(wt_conv_plan *plan) {
  wt_conv_desc *d = &plan->desc;
  const wt_conv_desc forward = *d;
  const int64_t reach_h = (d->r - 1) * d->dilation_h, reach_w = (d->s - 1) * d->dilation_w;
  plan->in_h = direction_of(d->h, d->r, d->stride_h, d->pad_top, d->dilation_h);
  plan->in_w = direction_of(d->w, d->s, d->stride_w, d->pad_left, d->dilation_w);
  const wt_conv_direction *in_h = &plan->in_h, *in_w = &plan->in_w;
  plan->phases = d->stride_h > 1 || d->stride_w > 1 ? in_h->phases * in_w->phases : 0;
  d->h = plan->p, d->w = plan->q, d->c = forward.k, d->k = forward.c;
  plan->p = forward.h, plan->q = forward.w;
  plan->rows = d->n * wt_divide_up(in_h->size, in_h->stride) * wt_divide_up(in_w->size, in_w->stride);
  plan->k = d->c * wt_divide_up(in_h->taps, in_h->period) * wt_divide_up(in_w->taps, in_w->period);
  d->stride_h = d->stride_w = 1;
  d->dilation_h /= in_h->common, d->dilation_w /= in_w->common;
  d->pad_top = wt_conv_phase_of(in_h, 0).pad, d->pad_left = wt_conv_phase_of(in_w, 0).pad;
  d->type_x = forward.type_y, d->type_y = forward.type_x;
  plan->reach_h = larger(d->h + reach_h, forward.h + forward.pad_top);
  plan->reach_w = larger(d->w + reach_w, forward.w + forward.pad_left);
}

wt_status wt_conv_plan_make_backward(wt_context *context, const wt_conv_desc *desc, const void *dy,
                                     const void *w, const void *dx, wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  memset(plan, 0, sizeof *plan);
  wt_status status = wt_conv_check_begin(context, desc, &plan->desc, &plan->p, &plan->q);
  if (!status) status = wt_conv_check_plain(context, d);
  if (!status)
    status = wt_conv_check_types(context, (wt_conv_type){"type_y", d->type_y},
                                 (wt_conv_type){"type_w", d->type_w}, (wt_conv_type){"type_x", d->type_x});
  if (status) return status;
  const int64_t element_bytes = (int64_t)wt_type_size(d->type_y);
  int64_t unused;
  status = wt_conv_check_product(context, "the output pixels, desc->n with p and q of each image,",
                                 "pass fewer images at once", d->n, plan->p, plan->q, &unused);
  if (!status)
    status = wt_conv_check_product(context, "the pixels, desc->n, desc->h and desc->w,",
                                   "pass fewer images at once", d->n, d->h, d->w, &unused);
  if (!status)
    status = wt_conv_check_product(
        context, "the bytes of a channel's taps, desc->r, desc->s and those of desc->k filters,",
        "pass a smaller filter", d->r, d->s, d->k * element_bytes, &unused);
  if (!status) status = make_tensors(context, plan, d, dx, w, dy);
  if (status) return status;
  const wt_operand of_dx = plan->x;
  plan->x = plan->y, plan->y = of_dx;
  plan->x.name = "dy", plan->y.name = "dx";
  plan->y.written = true;
  plan->channels = "k", plan->filters = d->workspace;
  rotate_filters(plan);
  return wt_conv_choose(context, plan);
}
