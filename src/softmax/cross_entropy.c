// SPDX-License-Identifier: MIT
// wt_cross_entropy checks, then launches; before and after the kernel of the rows comes what the losses'
// total needs.
#include <math.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "kernels/softmax/softmax_args.h"

enum { TOTAL_THREADS = 1024 };  // kernels/softmax/cross_entropy_total.hip

typedef struct entropy_call {
  wt_cross_entropy_desc desc;
  wt_operand x, labels, loss, dx, lse, total;  // the last three: without a name when not wanted
} entropy_call;

static wt_status check_desc(wt_context *context, const wt_cross_entropy_desc *desc,
                            wt_cross_entropy_desc *d) {
  static const wt_desc_layout layout = {"wt_cross_entropy_desc", "WT_CROSS_ENTROPY_DESC_INIT",
                                        sizeof(wt_cross_entropy_desc), 0};
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_size(context, "rows", d->rows);
  if (!status) status = wt_check_columns(context, d->columns);
  if (status) return status;
  if (!wt_row_type(d->type))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type is %s (%d), but cross-entropy takes WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   wt_type_name(d->type), (int)d->type);
  if (!(d->label_smoothing >= 0 && d->label_smoothing <= 1))
    return wt_fail(context, WT_ERROR_VALUE, "desc->label_smoothing is %g; pass a number from 0 to 1",
                   (double)d->label_smoothing);
  if (d->reduction < WT_REDUCTION_NONE || d->reduction > WT_REDUCTION_MEAN)
    return wt_fail(context, WT_ERROR_VALUE, "desc->reduction is %d; pass a WT_REDUCTION_* number",
                   (int)d->reduction);
  status = wt_check_finite(context, "grad_scale", d->grad_scale);
  if (!status && d->reduction != WT_REDUCTION_NONE && !d->total)
    status =
        wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                "desc->total is NULL, but desc->reduction is %d; pass memory of the device for one float, "
                "or WT_REDUCTION_NONE",
                (int)d->reduction);
  return status;
}

static wt_operand vector_of(const char *name, const void *pointer, int64_t count, bool written) {
  wt_operand x = wt_operand_vector(name, pointer, 4, 4, count);
  x.written = written;
  return x;
}

static wt_status make_operands(wt_context *context, entropy_call *call, const void *x, const int32_t *labels,
                               float *loss, void *dx) {
  const wt_cross_entropy_desc *d = &call->desc;
  wt_status status =
      wt_row_matrix(context, "x", x, d->type, d->rows, d->columns, "ldx", d->ldx, false, &call->x);
  if (!status && dx)
    status = wt_row_matrix(context, "dx", dx, d->type, d->rows, d->columns, "lddx", d->lddx, true, &call->dx);
  call->labels = vector_of("labels", labels, d->rows, false);
  call->loss = vector_of("loss", loss, d->rows, true);
  if (d->lse) call->lse = vector_of("desc->lse", d->lse, d->rows, true);
  if (d->reduction != WT_REDUCTION_NONE) call->total = vector_of("desc->total", d->total, 1, true);
  return status;
}

static wt_status check_memory(wt_context *context, const entropy_call *call) {
  wt_operand all[6];
  int count = 0;
  if (!call->dx.name || !wt_row_in_place(&call->dx, &call->x)) all[count++] = call->x;
  all[count++] = call->labels;
  all[count++] = call->loss;
  if (call->dx.name) all[count++] = call->dx;
  if (call->lse.name) all[count++] = call->lse;
  if (call->total.name) all[count++] = call->total;
  return wt_operands_check(context, all, count);
}

static wt_status find_total(wt_context *context, const char *symbol, wt_launch *out) {
  *out = (wt_launch){.x = 1, .y = 1, .z = 1, .threads = TOTAL_THREADS};
  snprintf(out->symbol, sizeof out->symbol, "%s", symbol);
  return wt_launch_find(context, "cross_entropy_total", out);
}

static wt_status launch(wt_context *context, const entropy_call *call, hipStream_t stream) {
  const wt_cross_entropy_desc *d = &call->desc;
  const bool mean = d->reduction == WT_REDUCTION_MEAN, summed = d->reduction != WT_REDUCTION_NONE;
  wt_cross_entropy_args args = {.x = call->x.pointer,
                                .labels = call->labels.pointer,
                                .loss = (float *)(uintptr_t)call->loss.pointer,
                                .lse = d->lse,
                                .dx = (void *)(uintptr_t)call->dx.pointer,
                                .share = mean ? d->total : NULL,
                                .x_row = call->x.axes[0].stride,
                                .dx_row = call->dx.axes[0].stride,
                                .rows = (int)d->rows,
                                .columns = (int)d->columns,
                                .ignore_index = d->ignore_index,
                                .label_smoothing = d->label_smoothing,
                                .grad_scale = d->grad_scale};
  wt_total_args total_args = {.labels = args.labels,
                              .loss = args.loss,
                              .total = d->total,
                              .rows = d->rows,
                              .ignore_index = d->ignore_index,
                              .mean = mean};
  char name[64];
  snprintf(name, sizeof name, "cross_entropy_%s", wt_row_type(d->type));
  wt_row_launch rows;
  wt_launch share, total;
  const int most_values =
      wt_type_size(d->type) == 2 ? 160 : 64;  // as kernels/softmax/cross_entropy.hip has them
  wt_status status = wt_row_find(context, "cross_entropy", name, d->rows, d->columns, most_values, &rows);
  if (!status && summed) status = find_total(context, "cross_entropy_total", &total);
  if (!status && mean) status = find_total(context, "cross_entropy_share", &share);
  if (!status && mean) status = wt_launch_enqueue(context, &share, &total_args, stream);
  if (!status) status = wt_row_enqueue(context, &rows, &args, &args.first, stream);
  if (!status && summed) status = wt_launch_enqueue(context, &total, &total_args, stream);
  return status;
}

wt_status wt_cross_entropy(wt_context *context, const wt_cross_entropy_desc *desc, const void *x,
                           const int32_t *labels, float *loss, void *dx, struct ihipStream_t *stream) {
  entropy_call call = {0};
  wt_status status = check_desc(context, desc, &call.desc);
  if (!status) status = make_operands(context, &call, x, labels, loss, dx);
  int previous;
  if (!status) status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &call);
  if (!status) status = launch(context, &call, stream);
  wt_device_leave(previous);
  return status;
}
