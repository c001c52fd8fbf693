// SPDX-License-Identifier: MIT
// wt_conv_backward_images: check, rotate the filters, then launch the convolution that the gradient is.
#include <inttypes.h>
#include <stdio.h>

#include "conv_plan.h"
#include "kernels/conv/conv_args.h"

static const char rotate_stem[] = "conv_rotate_filters", untouched_stem[] = "conv_untouched";

enum { GROUPS_OF_UNIT = 8 };  // work-groups of the launch for untouched pixels, for each compute unit

static wt_status check_memory(wt_context *context, const wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  if (!d->workspace)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->workspace is NULL, but the gradient needs %" PRIu64
                   " bytes; pass memory of the device",
                   plan->w.bytes);
  if (d->workspace_bytes < plan->w.bytes)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "desc->workspace_bytes is %zu, but the gradient needs %" PRIu64
                   " (see wt_conv_workspace_size); pass more",
                   d->workspace_bytes, plan->w.bytes);
  wt_operand all[4] = {plan->x, plan->w, plan->y,
                       wt_operand_vector("desc->workspace", d->workspace, 1, 16, (int64_t)plan->w.bytes)};
  all[3].written = true;
  return wt_operands_check(context, all, 4);
}

static wt_status find_rotation(wt_context *context, const wt_conv_plan *plan, wt_launch *launch) {
  const wt_conv_desc *d = &plan->desc;
  *launch = (wt_launch){.x = (unsigned)(d->r * d->s * wt_divide_up(d->c, WT_CONV_ROTATE_SIDE)),
                        .y = (unsigned)wt_at_most(wt_divide_up(d->k, WT_CONV_ROTATE_SIDE), WT_MOST_GROUPS_YZ),
                        .z = 1,
                        .threads = WT_CONV_ROTATE_THREADS};
  snprintf(launch->symbol, sizeof launch->symbol, "%s_%d", rotate_stem, 8 * (int)plan->w.element_bytes);
  return wt_launch_find(context, rotate_stem, launch);
}

static wt_conv_taps taps_of(const wt_conv_direction *d) {
  return (wt_conv_taps){.count = (unsigned)d->taps, .period = wt_divisor_of((unsigned)d->period)};
}

static wt_status rotate(wt_context *context, const wt_conv_plan *plan, const wt_launch *launch,
                        hipStream_t stream) {
  const wt_conv_desc *d = &plan->desc;
  const wt_conv_rotate_args args = {.filters = plan->w.pointer,
                                    .rotated = d->workspace,
                                    .tiles = wt_divisor_of((unsigned)wt_divide_up(d->c, WT_CONV_ROTATE_SIDE)),
                                    .columns = wt_divisor_of((unsigned)d->s),
                                    .in_h = taps_of(&plan->in_h),
                                    .in_w = taps_of(&plan->in_w),
                                    .filter_count = (int)d->c,
                                    .channels = (int)d->k,
                                    .groups = (int)launch->y};
  return wt_launch_enqueue(context, launch, &args, stream);
}

// Strides and dilations may leave pixels of dx that no tap reaches.
static bool leaves_pixels(const wt_conv_plan *plan) {
  return plan->in_h.phases < plan->in_h.stride || plan->in_w.phases < plan->in_w.stride;
}

static wt_status find_untouched(wt_context *context, const wt_conv_plan *plan, wt_launch *launch) {
  if (!leaves_pixels(plan)) return WT_SUCCESS;
  const int64_t pixels = plan->desc.n * plan->p * plan->q;
  const int64_t most = GROUPS_OF_UNIT * (int64_t)context->compute_units;
  *launch = (wt_launch){.x = (unsigned)wt_at_most(wt_divide_up(pixels, WT_CONV_UNTOUCHED_THREADS / 64), most),
                        .y = 1,
                        .z = 1,
                        .threads = WT_CONV_UNTOUCHED_THREADS};
  snprintf(launch->symbol, sizeof launch->symbol, "%s", untouched_stem);
  return wt_launch_find(context, untouched_stem, launch);
}

// Returns what `a` is to be multiplied with to give 1, modulo m; they have no common divisor.
static int64_t inverse_of(int64_t a, int64_t m) {
  int64_t r = m, next_r = a % m, x = 0, next_x = 1;
  while (next_r) {
    const int64_t quotient = r / next_r, after_r = r - quotient * next_r, after_x = x - quotient * next_x;
    r = next_r, next_r = after_r, x = next_x, next_x = after_x;
  }
  return (x % m + m) % m;
}

static wt_conv_reach reach_of(const wt_conv_direction *d) {
  return (wt_conv_reach){.size = wt_divisor_of((unsigned)d->size),
                         .common = wt_divisor_of((unsigned)d->common),
                         .taps = taps_of(d),
                         .inverse = (unsigned)inverse_of(d->dilation / d->common, d->period),
                         .pad = (int)d->pad};
}

static wt_status scale_untouched(wt_context *context, const wt_conv_plan *plan, const wt_launch *launch,
                                 hipStream_t stream) {
  if (!leaves_pixels(plan)) return WT_SUCCESS;
  const wt_conv_desc *d = &plan->desc;
  const wt_conv_untouched_args args = {.dx = (void *)(uintptr_t)plan->y.pointer,
                                       .pixels = (unsigned)(d->n * plan->p * plan->q),
                                       .channels = (int)d->k,
                                       .in_h = reach_of(&plan->in_h),
                                       .in_w = reach_of(&plan->in_w),
                                       .beta = d->beta,
                                       .type = (int)d->type_y,
                                       .groups = (int)launch->x};
  return wt_launch_enqueue(context, launch, &args, stream);
}

wt_status wt_conv_workspace_size(wt_context *context, const wt_conv_desc *desc, size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  wt_conv_plan plan;
  const wt_status status = wt_conv_plan_make_backward(context, desc, NULL, NULL, NULL, &plan);
  if (!status) *bytes = plan.w.bytes;
  return status;
}

wt_status wt_conv_backward_images(wt_context *context, const wt_conv_desc *desc, const void *dy,
                                  const void *w, void *dx, struct ihipStream_t *stream) {
  wt_conv_plan plan;
  wt_status status = wt_conv_plan_make_backward(context, desc, dy, w, dx, &plan);
  if (!status && !wt_context_has(context, rotate_stem)) status = wt_fail_left_out(context, rotate_stem);
  if (!status && !wt_context_has(context, untouched_stem)) status = wt_fail_left_out(context, untouched_stem);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  wt_launch before, launch, untouched;
  status = check_memory(context, &plan);
  if (!status) status = find_rotation(context, &plan, &before);
  if (!status) status = wt_conv_launch_find(context, &plan, &launch);
  if (!status) status = find_untouched(context, &plan, &untouched);
  if (!status) status = rotate(context, &plan, &before, stream);
  if (!status) status = wt_conv_launch(context, &plan, &launch, stream);
  if (!status) status = scale_untouched(context, &plan, &untouched, stream);
  wt_device_leave(previous);
  return status;
}
