// SPDX-License-Identifier: MIT
// Predicts one grouped product whose groups have as many rows each: wt_grouped_forward.
#include <stdlib.h>

#include "core/tool.h"
#include "predict.h"

int32_t *predict_offsets(predict_run *run, int64_t groups, int64_t rows) {
  const size_t bytes = sizeof(int32_t) * ((size_t)groups + 1);
  int32_t *offsets = malloc(bytes);
  if (!offsets) run->code = tool_error(TOOL_FAILED, "out of host memory for the offsets of groups");
  for (int64_t g = 0; g <= groups && offsets; ++g)
    offsets[g] = (int32_t)(rows / groups * g + (g < rows % groups ? g : rows % groups));
  int32_t *device = predict_copied(run, offsets, (double)bytes);
  free(offsets);
  return device;
}

// Gives x and w scales: for blocks of 128, or of an MX format those of 1.
static void make_scales(predict_run *run, bool mx, wt_grouped_desc *d) {
  const double blocks =
      (double)(mx ? d->k / WT_BLOCK_ELEMENTS : (d->k + WT_F32_BLOCK_ELEMENTS - 1) / WT_F32_BLOCK_ELEMENTS);
  const double w_rows =
      (double)(mx ? d->n : (d->n + WT_F32_BLOCK_ELEMENTS - 1) / WT_F32_BLOCK_ELEMENTS) * (double)d->groups;
  const double size = mx ? 1 : sizeof(float), of_x = size * (double)d->m * blocks,
               of_w = size * w_rows * blocks;
  void *(*const memory)(predict_run *, double) = mx ? predict_scales_of_1 : predict_memory;
  d->x_scale = memory(run, of_x), d->w_scale = memory(run, of_w);
  d->scales = mx                                                   ? WT_BLOCK_SCALES_E8M0
              : predict_option(&run->call->shape, "powers", 0) > 0 ? WT_BLOCK_SCALES_POWER_OF_TWO
                                                                   : WT_BLOCK_SCALES_F32;
  run->result->bytes += of_x + of_w;
}

int predict_grouped(predict_run *run) {
  const predict_shape *s = &run->call->shape;
  wt_type mx_type;
  const int bits = predict_mx_type(run->call->type, &mx_type);
  const bool mx = predict_option(s, "mx", 0) > 0 || !run->type, block = predict_option(s, "block", 0) > 0;
  if (s->sizes != 4) return predict_refuse_sizes(run, "groups x rows of each x n x k");
  if (mx && !bits)
    return tool_error(TOOL_USAGE, "\"%s\" is no MX type; pass f4e2m1, f6e2m3, f6e3m2 or f8e4m3",
                      run->call->type);
  wt_grouped_desc d = WT_GROUPED_DESC_INIT;
  d.groups = s->size[0], d.m = s->size[0] * s->size[1], d.n = s->size[2], d.k = s->size[3];
  d.type_x = d.type_w = mx ? mx_type : run->device_type, d.type_y = WT_TYPE_BF16;
  const double element = mx ? bits / 8.0 : (double)run->type->size;
  const double x_bytes = (double)d.m * (double)d.k * element,
               w_bytes = (double)d.groups * (double)d.n * (double)d.k * element,
               y_bytes = 2.0 * (double)d.m * (double)d.n;
  run->result->flops = 2 * (double)d.m * (double)d.n * (double)d.k;
  run->result->bytes = x_bytes + w_bytes + y_bytes;
  void *x = predict_memory(run, x_bytes), *w = predict_memory(run, w_bytes),
       *y = predict_memory(run, y_bytes);
  const int32_t *offsets = predict_offsets(run, d.groups, d.m);
  if (mx || block) make_scales(run, mx, &d);
  return predict_status(
      run, run->code ? WT_SUCCESS : wt_grouped_forward(run->context, &d, x, w, y, offsets, NULL));
}
