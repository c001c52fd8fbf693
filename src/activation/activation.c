// SPDX-License-Identifier: MIT
// wt_activate and wt_activate_backward: check, then launch.
#include <stdio.h>

#include "block_scale/block_output.h"
#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "kernels/activation/activation_args.h"

// Lists the matrices of a call, as far as it has them: x, gate and dy are read, the others written.
typedef enum place { X, GATE, DY, Y, DX, DGATE, PLACES } place;

typedef struct activation_call {
  wt_activation_desc desc;
  wt_operand of[PLACES];   // without a name: none
  wt_block_result blocks;  // where y is quantised
  const char *step;        // of the kernel's name
} activation_call;

static wt_status copy_desc(wt_context *context, const wt_activation_desc *desc, wt_activation_desc *d) {
  static const size_t older[] = {offsetof(wt_activation_desc, row_count),
                                 offsetof(wt_activation_desc, output), 0};
  static const wt_desc_layout layout = {"wt_activation_desc", "WT_ACTIVATION_DESC_INIT",
                                        sizeof(wt_activation_desc), older};
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_size(context, "rows", d->rows);
  if (!status) status = wt_check_columns(context, d->columns);
  if (!status && !wt_row_type(d->type))
    status = wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                     "desc->type is %s (%d), but activations take WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                     wt_type_name(d->type), (int)d->type);
  if (!status) status = wt_check_activation(context, d->activation);
  return status;
}

static wt_status add(wt_context *context, activation_call *call, place p, const char *name,
                     const void *pointer, const char *ld_name, int64_t ld) {
  const wt_activation_desc *d = &call->desc;
  return wt_row_matrix(context, name, pointer, d->type, d->rows, d->columns, ld_name, ld, p >= Y,
                       &call->of[p]);
}

// An input whose place an output takes, element by element, is no operand of its own.
static wt_status check_memory(wt_context *context, const activation_call *call) {
  wt_operand all[PLACES + 2];
  int count = 0;
  for (int p = 0; p < PLACES; ++p) {
    bool replaced = false;
    for (int out = Y; p < Y && out < PLACES; ++out)
      replaced = replaced || (call->of[out].name && wt_row_in_place(&call->of[out], &call->of[p]));
    if (call->of[p].name && !replaced) all[count++] = call->of[p];
  }
  if (wt_is_quantized(&call->desc.output)) all[count++] = call->blocks.scale;
  const int32_t *rows = call->desc.row_count;
  if (rows) all[count++] = wt_operand_vector("desc->row_count", rows, sizeof *rows, sizeof *rows, 1);
  return wt_operands_check(context, all, count);
}

static wt_status launch(wt_context *context, const activation_call *call, hipStream_t stream) {
  const wt_activation_desc *d = &call->desc;
  const wt_operand *of = call->of;
  wt_activation_args args = {.x = of[X].pointer,
                             .gate = of[GATE].pointer,
                             .dy = of[DY].pointer,
                             .y = (void *)(uintptr_t)of[Y].pointer,
                             .dx = (void *)(uintptr_t)of[DX].pointer,
                             .dgate = (void *)(uintptr_t)of[DGATE].pointer,
                             .x_row = of[X].axes[0].stride,
                             .gate_row = of[GATE].axes[0].stride,
                             .dy_row = of[DY].axes[0].stride,
                             .y_row = of[Y].axes[0].stride,
                             .dx_row = of[DX].axes[0].stride,
                             .dgate_row = of[DGATE].axes[0].stride,
                             .row_count = d->row_count,
                             .rows = (int)d->rows,
                             .columns = (int)d->columns,
                             .activation = (int)d->activation,
                             .blocks = call->blocks.args};
  const char *const stem = wt_is_quantized(&d->output) ? "activation_quantize" : "activation";
  char name[64];
  snprintf(name, sizeof name, "activation_%s_%s", call->step, wt_row_type(d->type));
  wt_launch pieces;
  wt_status status = wt_row_find_pieces(context, stem, name, d->rows, d->columns, WT_PIECE_THREADS,
                                        WT_PIECE_GROUPS, &args.teams, &pieces);
  return status ? status : wt_launch_enqueue(context, &pieces, &args, stream);
}

static wt_status run(wt_context *context, const activation_call *call, hipStream_t stream) {
  int previous;
  wt_status status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, call);
  if (!status) status = launch(context, call, stream);
  wt_device_leave(previous);
  return status;
}

// Adds y: a matrix like x, or blocks and their scales.
static wt_status add_result(wt_context *context, activation_call *call, const void *y) {
  const wt_activation_desc *d = &call->desc;
  const wt_status status =
      wt_block_result_make(context, &d->output, d->rows, d->columns, y, d->ldy, &call->blocks);
  if (status || !wt_is_quantized(&d->output))
    return status ? status : add(context, call, Y, "y", y, "ldy", d->ldy);
  call->step = "quantize";
  call->of[Y] = call->blocks.y;
  return WT_SUCCESS;
}

wt_status wt_activate(wt_context *context, const wt_activation_desc *desc, const void *x, const void *gate,
                      void *y, struct ihipStream_t *stream) {
  activation_call call = {.step = "forward"};
  wt_status status = copy_desc(context, desc, &call.desc);
  const wt_activation_desc *d = &call.desc;
  if (!status) status = add(context, &call, X, "x", x, "ldx", d->ldx);
  if (!status && gate) status = add(context, &call, GATE, "gate", gate, "ldgate", d->ldgate);
  if (!status) status = add_result(context, &call, y);
  return status ? status : run(context, &call, stream);
}

wt_status wt_activate_backward(wt_context *context, const wt_activation_desc *desc, const void *x,
                               const void *gate, const void *dy, void *dx, void *dgate,
                               struct ihipStream_t *stream) {
  activation_call call = {.step = "backward"};
  wt_status status = copy_desc(context, desc, &call.desc);
  const wt_activation_desc *d = &call.desc;
  if (!status && wt_is_quantized(&d->output))
    status = wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                     "desc->output.type is %s (%d), but gradients are not quantised; pass 0",
                     wt_type_name(d->output.type), (int)d->output.type);
  if (!status && !gate != !dgate)
    status = wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                     "%s is NULL, but %s is not; pass both for a gated activation, or neither",
                     gate ? "dgate" : "gate", gate ? "gate" : "dgate");
  if (!status) status = add(context, &call, X, "x", x, "ldx", d->ldx);
  if (!status && gate) status = add(context, &call, GATE, "gate", gate, "ldgate", d->ldgate);
  if (!status) status = add(context, &call, DY, "dy", dy, "lddy", d->lddy);
  if (!status) status = add(context, &call, DX, "dx", dx, "lddx", d->lddx);
  if (!status && gate) status = add(context, &call, DGATE, "dgate", dgate, "lddgate", d->lddgate);
  return status ? status : run(context, &call, stream);
}
