// SPDX-License-Identifier: MIT
// wt_norm checks, then launches.
#include "block_scale/block_output.h"
#include "core/desc.h"
#include "core/rows.h"
#include "norm_check.h"

enum { MOST_VALUES = 16 };  // that a thread holds (kernels/norm/norm_forward.hip)

typedef struct forward_call {
  wt_norm_desc desc;
  norm_operands operands;
  wt_block_result blocks;
} forward_call;

static norm_shape shape_of(const wt_norm_desc *d) {
  return (norm_shape){d->rows, d->columns, d->kind, d->type, d->type_weight, d->dropout, d->seed};
}

static wt_status copy_desc(wt_context *context, const wt_norm_desc *desc, wt_norm_desc *d) {
  static const size_t older[] = {offsetof(wt_norm_desc, output), 0};
  static const wt_desc_layout layout = {"wt_norm_desc", "WT_NORM_DESC_INIT", sizeof(wt_norm_desc), older};
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (status) return status;
  const norm_shape shape = shape_of(d);
  status = norm_check_shape(context, &shape);
  if (!status) status = wt_check_finite(context, "epsilon", d->epsilon);
  if (!status && d->epsilon < 0)
    status = wt_fail(context, WT_ERROR_VALUE, "desc->epsilon is %g; pass 0 or more", (double)d->epsilon);
  return status;
}

// Adds y: a matrix like x, or blocks and their scales.
static wt_status add_result(wt_context *context, forward_call *call, const norm_shape *shape, const void *y) {
  const wt_norm_desc *d = &call->desc;
  norm_operands *all = &call->operands;
  wt_status status = wt_block_result_make(context, &d->output, d->rows, d->columns, y, d->ldy, &call->blocks);
  if (status || !wt_is_quantized(&d->output))
    return status ? status : norm_add_matrix(context, all, shape, "y", y, d->type, "ldy", d->ldy, true, true);
  all->all[all->count++] = call->blocks.y;
  all->all[all->count++] = call->blocks.scale;
  return WT_SUCCESS;
}

static wt_status operands_of(wt_context *context, forward_call *call, const void *x, const void *y) {
  const wt_norm_desc *d = &call->desc;
  norm_operands *all = &call->operands;
  const norm_shape shape = shape_of(d);
  wt_status status = norm_add_matrix(context, all, &shape, "x", x, d->type, "ldx", d->ldx, false, true);
  if (!status)
    status = norm_add_matrix(context, all, &shape, "desc->residual", d->residual, d->type, "ldresidual",
                             d->ldresidual, false, false);
  if (!status) status = add_result(context, call, &shape, y);
  if (!status)
    status =
        norm_add_matrix(context, all, &shape, "desc->sum", d->sum, d->type, "ldsum", d->ldsum, true, false);
  if (!status)
    status = norm_add_matrix(context, all, &shape, "desc->mask", d->mask, WT_TYPE_I8, "ldmask", d->ldmask,
                             true, false);
  norm_add_vector(all, "desc->weight", d->weight, d->type_weight, d->columns, false);
  norm_add_vector(all, "desc->bias", d->bias, d->type_weight, d->columns, false);
  norm_add_vector(all, "desc->mean", d->mean, WT_TYPE_F32, d->rows, true);
  norm_add_vector(all, "desc->rstd", d->rstd, WT_TYPE_F32, d->rows, true);
  return status;
}

static wt_status launch(wt_context *context, const forward_call *call, const void *x, void *y,
                        hipStream_t stream) {
  const wt_norm_desc *d = &call->desc;
  const norm_shape shape = shape_of(d);
  wt_norm_forward_args args = {.x = x,
                               .residual = d->residual,
                               .weight = d->weight,
                               .bias = d->bias,
                               .sum = d->sum,
                               .y = y,
                               .mean = d->mean,
                               .rstd = d->rstd,
                               .mask = d->mask,
                               .x_row = norm_stride(d->ldx, &shape),
                               .residual_row = norm_stride(d->ldresidual, &shape),
                               .sum_row = norm_stride(d->ldsum, &shape),
                               .y_row = norm_stride(d->ldy, &shape),
                               .mask_row = norm_stride(d->ldmask, &shape),
                               .rows = (int)d->rows,
                               .columns = (int)d->columns,
                               .epsilon = d->epsilon,
                               .dropout = norm_dropout_of(&shape),
                               .blocks = call->blocks.args,
                               .subtracts_mean = d->kind == WT_NORM_LAYER};
  const bool quantized = wt_is_quantized(&d->output);
  const char *const stem = quantized ? "norm_quantize" : "norm_forward";
  char name[64];
  norm_kernel_name(name, sizeof name, stem, quantized ? "as_asked" : norm_kind_name(d->kind), &shape);
  wt_row_launch rows;
  wt_status status = wt_row_find(context, stem, name, d->rows, d->columns, MOST_VALUES, &rows);
  return status ? status : wt_row_enqueue(context, &rows, &args, &args.first, stream);
}

wt_status wt_norm(wt_context *context, const wt_norm_desc *desc, const void *x, void *y,
                  struct ihipStream_t *stream) {
  forward_call call = {.operands.count = 0};
  wt_status status = copy_desc(context, desc, &call.desc);
  if (!status) status = operands_of(context, &call, x, y);
  if (status) return status;
  int previous;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = wt_operands_check(context, call.operands.all, call.operands.count);
  if (!status) status = launch(context, &call, x, y, stream);
  wt_device_leave(previous);
  return status;
}
