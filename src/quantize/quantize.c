// SPDX-License-Identifier: MIT
// wt_quantize and wt_dequantize: check, then launch.
#include <inttypes.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "kernels/quantize/quantize_args.h"

// So many work-groups look for the largest magnitude (kernels/quantize/quantize.hip), of which each leaves
// one number, and so many teams have a row each in the other kernels.
enum { LARGEST_THREADS = 1024, MOST_LARGEST = WT_QUANTIZE_WORKSPACE_BYTES / 4, MOST_VALUES = 64 };

typedef struct quantize_call {
  wt_quantize_desc desc;
  wt_operand x, q, scale;
  wt_operand workspace;   // without a name when none is used
  int64_t rows, columns;  // those of the matrix, or of the same elements as one row
} quantize_call;

static const char *q_name(wt_type type) {
  return type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E4M3_FNUZ ? "e4m3" : "e5m2";
}

static wt_status check_desc(wt_context *context, const wt_quantize_desc *desc, wt_quantize_desc *d) {
  static const wt_desc_layout layout = {"wt_quantize_desc", "WT_QUANTIZE_DESC_INIT", sizeof(wt_quantize_desc),
                                        0};
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_size(context, "rows", d->rows);
  if (!status) status = wt_check_columns(context, d->columns);
  if (status) return status;
  if (!wt_row_type(d->type_x))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_x is %s (%d), but it must be WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   wt_type_name(d->type_x), (int)d->type_x);
  status = wt_check_fp8_type(context, "type_q", d->type_q);
  if (status) return status;
  if (d->scaling != WT_SCALING_TENSOR && d->scaling != WT_SCALING_ROW)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->scaling is %d; pass WT_SCALING_TENSOR (0) or WT_SCALING_ROW (1)", (int)d->scaling);
  return wt_check_flag(context, "given", d->given);
}

static wt_status check_workspace(wt_context *context, quantize_call *call) {
  const wt_quantize_desc *d = &call->desc;
  if (d->given || d->scaling == WT_SCALING_ROW) return WT_SUCCESS;
  if (!d->workspace)
    return wt_fail(
        context, WT_ERROR_NULL_ARGUMENT,
        "desc->workspace is NULL, but one scale for the matrix is to be computed; pass %d bytes of "
        "memory of the device, or give the scale",
        WT_QUANTIZE_WORKSPACE_BYTES);
  if (d->workspace_bytes < WT_QUANTIZE_WORKSPACE_BYTES)
    return wt_fail(context, WT_ERROR_BUFFER, "desc->workspace_bytes is %zu; pass %d bytes",
                   d->workspace_bytes, WT_QUANTIZE_WORKSPACE_BYTES);
  call->workspace = wt_operand_vector("desc->workspace", d->workspace, 4, 4, MOST_LARGEST);
  call->workspace.written = true;
  return WT_SUCCESS;
}

// `back`: x is the output.
static wt_status make_operands(wt_context *context, quantize_call *call, const void *x, const void *q,
                               const float *scale, bool back) {
  const wt_quantize_desc *d = &call->desc;
  wt_status status =
      wt_row_matrix(context, "x", x, d->type_x, d->rows, d->columns, "ldx", d->ldx, back, &call->x);
  if (!status)
    status = wt_row_matrix(context, "q", q, d->type_q, d->rows, d->columns, "ldq", d->ldq, !back, &call->q);
  const bool by_rows = d->scaling == WT_SCALING_ROW;
  call->scale = wt_operand_vector("scale", scale, 4, 4, by_rows ? d->rows : 1);
  call->scale.written = !back && !d->given;
  call->rows = d->rows, call->columns = d->columns;
  const bool packed = call->x.axes[0].stride == d->columns && call->q.axes[0].stride == d->columns;
  if (packed && !by_rows && d->rows * d->columns <= WT_MOST_COLUMNS)
    call->rows = 1, call->columns = d->rows * d->columns;
  return status;
}

static wt_quantize_args args_of(const quantize_call *call) {
  return (wt_quantize_args){.x = (void *)(uintptr_t)call->x.pointer,
                            .q = (void *)(uintptr_t)call->q.pointer,
                            .scale = (float *)(uintptr_t)call->scale.pointer,
                            .x_row = call->x.axes[0].stride,
                            .q_row = call->q.axes[0].stride,
                            .rows = (int)call->rows,
                            .columns = (int)call->columns,
                            .per_row = call->desc.scaling == WT_SCALING_ROW};
}

static wt_status find_pieces(wt_context *context, const quantize_call *call, const char *stem,
                             const char *name, int threads, int most, wt_quantize_args *args,
                             wt_launch *out) {
  return wt_row_find_pieces(context, stem, name, call->rows, call->columns, threads, most, &args->teams, out);
}

static wt_status launch_rows(wt_context *context, const quantize_call *call, hipStream_t stream) {
  const wt_quantize_desc *d = &call->desc;
  wt_quantize_args args = args_of(call);
  wt_row_launch rows;
  char name[64];
  snprintf(name, sizeof name, "quantize_rows_%s_%s", wt_row_type(d->type_x), q_name(d->type_q));
  wt_status status = wt_row_find(context, "quantize_rows", name, d->rows, d->columns, MOST_VALUES, &rows);
  return status ? status : wt_row_enqueue(context, &rows, &args, &args.first, stream);
}

static wt_status launch_pieces(wt_context *context, const quantize_call *call, hipStream_t stream) {
  const wt_quantize_desc *d = &call->desc;
  wt_quantize_args args = args_of(call), largest_args = args;
  wt_launch largest, pieces;
  char name[64];
  wt_status status = WT_SUCCESS;
  if (!d->given) {
    args.largest = largest_args.largest = d->workspace;
    snprintf(name, sizeof name, "quantize_largest_%s", wt_row_type(d->type_x));
    status =
        find_pieces(context, call, "quantize", name, LARGEST_THREADS, MOST_LARGEST, &largest_args, &largest);
    args.largest_count = (int)largest.x;
  }
  snprintf(name, sizeof name, "quantize_%s_%s", wt_row_type(d->type_x), q_name(d->type_q));
  if (!status)
    status = find_pieces(context, call, "quantize", name, WT_PIECE_THREADS, WT_PIECE_GROUPS, &args, &pieces);
  if (!status && !d->given) status = wt_launch_enqueue(context, &largest, &largest_args, stream);
  return status ? status : wt_launch_enqueue(context, &pieces, &args, stream);
}

static wt_status launch_back(wt_context *context, const quantize_call *call, hipStream_t stream) {
  wt_quantize_args args = args_of(call);
  wt_launch pieces;
  char name[64];
  snprintf(name, sizeof name, "dequantize_%s_%s", wt_row_type(call->desc.type_x), q_name(call->desc.type_q));
  wt_status status =
      find_pieces(context, call, "dequantize", name, WT_PIECE_THREADS, WT_PIECE_GROUPS, &args, &pieces);
  return status ? status : wt_launch_enqueue(context, &pieces, &args, stream);
}

static wt_status run(wt_context *context, const quantize_call *call,
                     wt_status (*launch)(wt_context *, const quantize_call *, hipStream_t),
                     hipStream_t stream) {
  const wt_operand all[4] = {call->x, call->q, call->scale, call->workspace};
  int previous;
  wt_status status = wt_device_enter(context, &previous);
  if (status) return status;
  status = wt_operands_check(context, all, call->workspace.name ? 4 : 3);
  if (!status) status = launch(context, call, stream);
  wt_device_leave(previous);
  return status;
}

wt_status wt_quantize(wt_context *context, const wt_quantize_desc *desc, const void *x, void *q, float *scale,
                      struct ihipStream_t *stream) {
  quantize_call call = {0};
  wt_status status = check_desc(context, desc, &call.desc);
  if (!status) status = check_workspace(context, &call);
  if (!status) status = make_operands(context, &call, x, q, scale, false);
  if (status) return status;
  const bool by_rows = call.desc.scaling == WT_SCALING_ROW && !call.desc.given;
  return run(context, &call, by_rows ? launch_rows : launch_pieces, stream);
}

wt_status wt_dequantize(wt_context *context, const wt_quantize_desc *desc, const void *q, const float *scale,
                        void *x, struct ihipStream_t *stream) {
  quantize_call call = {0};
  wt_status status = check_desc(context, desc, &call.desc);
  if (!status) status = make_operands(context, &call, x, q, scale, true);
  return status ? status : run(context, &call, launch_back, stream);
}
