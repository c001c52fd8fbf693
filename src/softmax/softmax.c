// SPDX-License-Identifier: MIT
// wt_softmax and wt_softmax_backward: check, then launch.
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "kernels/softmax/softmax_args.h"

// Describes the matrices of a call; of `in`, `upstream` and `out` those that it has.
typedef struct softmax_call {
  wt_softmax_desc desc;
  wt_operand in, upstream, out;
  const char *stem;
  int most_values, most_of_16_bits;  // that the kernel's threads hold (kernels/softmax)
} softmax_call;

static wt_status copy_desc(wt_context *context, const wt_softmax_desc *desc, wt_softmax_desc *d) {
  static const wt_desc_layout layout = {"wt_softmax_desc", "WT_SOFTMAX_DESC_INIT", sizeof(wt_softmax_desc),
                                        0};
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_size(context, "rows", d->rows);
  if (!status) status = wt_check_columns(context, d->columns);
  if (!status && !wt_row_type(d->type))
    status = wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                     "desc->type is %s (%d), but softmax takes WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                     wt_type_name(d->type), (int)d->type);
  return status;
}

static wt_status matrix(wt_context *context, const softmax_call *call, const char *name, const void *pointer,
                        const char *ld_name, int64_t ld, bool written, wt_operand *out) {
  const wt_softmax_desc *d = &call->desc;
  return wt_row_matrix(context, name, pointer, d->type, d->rows, d->columns, ld_name, ld, written, out);
}

static wt_status check_memory(wt_context *context, const softmax_call *call) {
  wt_operand all[3] = {call->out};
  int count = 1;
  if (!wt_row_in_place(&call->out, &call->in)) all[count++] = call->in;
  if (call->upstream.name && !wt_row_in_place(&call->out, &call->upstream)) all[count++] = call->upstream;
  return wt_operands_check(context, all, count);
}

static wt_status launch(wt_context *context, const softmax_call *call, hipStream_t stream) {
  const wt_softmax_desc *d = &call->desc;
  wt_softmax_args args = {.in = call->in.pointer,
                          .gradient = call->upstream.pointer,
                          .out = (void *)(uintptr_t)call->out.pointer,
                          .in_row = call->in.axes[0].stride,
                          .gradient_row = call->upstream.axes[0].stride,
                          .out_row = call->out.axes[0].stride,
                          .rows = (int)d->rows,
                          .columns = (int)d->columns};
  char name[64];
  snprintf(name, sizeof name, "%s_%s", call->stem, wt_row_type(d->type));
  wt_row_launch rows;
  const int most = wt_type_size(d->type) == 2 ? call->most_of_16_bits : call->most_values;
  wt_status status = wt_row_find(context, call->stem, name, d->rows, d->columns, most, &rows);
  return status ? status : wt_row_enqueue(context, &rows, &args, &args.first, stream);
}

static wt_status run(wt_context *context, const softmax_call *call, hipStream_t stream) {
  int previous;
  wt_status status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, call);
  if (!status) status = launch(context, call, stream);
  wt_device_leave(previous);
  return status;
}

wt_status wt_softmax(wt_context *context, const wt_softmax_desc *desc, const void *x, void *y,
                     struct ihipStream_t *stream) {
  softmax_call call = {.stem = "softmax_forward", .most_values = 64, .most_of_16_bits = 160};
  wt_status status = copy_desc(context, desc, &call.desc);
  if (!status) status = matrix(context, &call, "x", x, "ldx", call.desc.ldx, false, &call.in);
  if (!status) status = matrix(context, &call, "y", y, "ldy", call.desc.ldy, true, &call.out);
  return status ? status : run(context, &call, stream);
}

wt_status wt_softmax_backward(wt_context *context, const wt_softmax_desc *desc, const void *y, const void *dy,
                              void *dx, struct ihipStream_t *stream) {
  softmax_call call = {.stem = "softmax_backward", .most_values = 32, .most_of_16_bits = 32};
  wt_status status = copy_desc(context, desc, &call.desc);
  if (!status) status = matrix(context, &call, "y", y, "ldy", call.desc.ldy, false, &call.in);
  if (!status) status = matrix(context, &call, "dy", dy, "lddy", call.desc.lddy, false, &call.upstream);
  if (!status) status = matrix(context, &call, "dx", dx, "lddx", call.desc.lddx, true, &call.out);
  return status ? status : run(context, &call, stream);
}
