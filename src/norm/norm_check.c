// SPDX-License-Identifier: MIT
// Checks the norms' descriptors and memory.
#include "norm_check.h"

#include <math.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"

wt_status norm_check_shape(wt_context *context, const norm_shape *shape) {
  wt_status status = wt_check_size(context, "rows", shape->rows);
  if (!status) status = wt_check_columns(context, shape->columns);
  if (status) return status;
  if (shape->kind != WT_NORM_LAYER && shape->kind != WT_NORM_RMS)
    return wt_fail(context, WT_ERROR_VALUE, "desc->kind is %d; pass WT_NORM_LAYER or WT_NORM_RMS",
                   (int)shape->kind);
  if (!wt_row_type(shape->type))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type is %s (%d), but norms take WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   wt_type_name(shape->type), (int)shape->type);
  if (shape->type_weight != WT_TYPE_F32 && shape->type_weight != shape->type)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_weight is %s (%d), but with type %s it must be WT_TYPE_F32 or the same",
                   wt_type_name(shape->type_weight), (int)shape->type_weight, wt_type_name(shape->type));
  if (!(shape->dropout >= 0 && shape->dropout < 1))
    return wt_fail(context, WT_ERROR_VALUE, "desc->dropout is %g; pass a probability from 0 to below 1",
                   (double)shape->dropout);
  return WT_SUCCESS;
}

wt_norm_dropout norm_dropout_of(const norm_shape *shape) {
  const double dropped = fmin(nearbyint((double)shape->dropout * 0x1p16), 0x1p16 - 1);  // of 2^16
  return (wt_norm_dropout){.seed = shape->seed,
                           .threshold = (unsigned)dropped << 16,
                           .scale = (float)(1 / (1 - dropped * 0x1p-16))};
}

const char *norm_kind_name(wt_norm_kind kind) { return kind == WT_NORM_RMS ? "rms" : "layer"; }

void norm_kernel_name(char *name, size_t size, const char *stem, const char *kind, const norm_shape *shape) {
  snprintf(name, size, "%s_%s_%s_%s", stem, kind, wt_row_type(shape->type), wt_row_type(shape->type_weight));
}

wt_status norm_add_matrix(wt_context *context, norm_operands *to, const norm_shape *shape, const char *name,
                          const void *pointer, wt_type type, const char *ld_name, int64_t ld, bool written,
                          bool needed) {
  if (!pointer && !needed) return WT_SUCCESS;
  wt_operand *x = &to->all[to->count];
  const wt_status status =
      wt_row_matrix(context, name, pointer, type, shape->rows, shape->columns, ld_name, ld, written, x);
  if (status) return status;
  for (int i = 0; i < to->count && written; ++i)
    if (!to->all[i].written && to->all[i].axes[0].count == shape->rows && wt_row_in_place(x, &to->all[i])) {
      to->all[i].written = true;
      return WT_SUCCESS;
    }
  ++to->count;
  return WT_SUCCESS;
}

void norm_add_vector(norm_operands *to, const char *name, const void *pointer, wt_type type, int64_t count,
                     bool written) {
  if (!pointer) return;
  const size_t element = wt_type_size(type);
  to->all[to->count] = wt_operand_vector(name, pointer, element, element, count);
  to->all[to->count++].written = written;
}
