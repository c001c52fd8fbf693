// SPDX-License-Identifier: MIT
// Finds the phases of a gradient of the images (kernels/conv/conv_args.h).
#include "conv_plan.h"

wt_conv_phase_direction wt_conv_phase_of(const wt_conv_direction *d, int64_t phase) {
  // Tap number `phase` is the first of the phase's, and reaches its first pixel from pixel `from` of dy,
  // which need not exist.
  const int64_t place = phase * d->dilation - d->pad;
  const int64_t first = (place % d->stride + d->stride) % d->stride, from = (first - place) / d->stride;
  const int64_t taps = wt_divide_up(d->taps - phase, d->period);
  return (wt_conv_phase_direction){
      .first = first,
      .pixels = first < d->size ? wt_divide_up(d->size - first, d->stride) : 0,
      .taps = taps,
      .pad = (taps - 1) * (d->dilation / d->common) - from,
  };
}

static wt_conv_phase phase_args(const wt_conv_plan *plan, const wt_conv_phase_direction *h,
                                const wt_conv_phase_direction *w, int64_t taps_before) {
  const wt_conv_desc *d = &plan->desc;
  const int64_t tap_bytes = d->c * (int64_t)plan->x.element_bytes;
  return (wt_conv_phase){.out_pixels = wt_divisor_of((unsigned)(h->pixels * w->pixels)),
                         .out_width = wt_divisor_of((unsigned)w->pixels),
                         .tap_row_bytes = wt_divisor_of((unsigned)(w->taps * tap_bytes)),
                         .pad_top = (int)h->pad,
                         .pad_left = (int)w->pad,
                         .first_h = (int)h->first,
                         .first_w = (int)w->first,
                         .k = (int)(h->taps * w->taps * d->c),
                         .filters = taps_before * d->c * d->k};
}

wt_status wt_conv_launch_phases(wt_context *context, const wt_conv_plan *plan, const wt_launch *launch,
                                const wt_conv_args *args, hipStream_t stream) {
  wt_conv_phases_args phases = {.all = *args,
                                .height = (int)plan->p,
                                .width = (int)plan->q,
                                .stride_h = (int)plan->in_h.stride,
                                .stride_w = (int)plan->in_w.stride};
  wt_launch some = *launch;
  some.z = 0;
  int64_t taps_before = 0;
  wt_status status = WT_SUCCESS;
  for (int64_t i = 0; i < plan->phases && !status; ++i) {
    const wt_conv_phase_direction h = wt_conv_phase_of(&plan->in_h, i / plan->in_w.phases);
    const wt_conv_phase_direction w = wt_conv_phase_of(&plan->in_w, i % plan->in_w.phases);
    if (h.pixels && w.pixels) phases.phases[some.z++] = phase_args(plan, &h, &w, taps_before);
    taps_before += h.taps * w.taps;
    if (some.z < WT_CONV_MOST_PHASES && (i + 1 < plan->phases || !some.z)) continue;
    status = wt_launch_enqueue(context, &some, &phases, stream);
    some.z = 0;
  }
  return status;
}
