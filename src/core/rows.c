// SPDX-License-Identifier: MIT
// Operands that are matrices of rows, and launches by rows.
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "types.h"

// Describes the shapes of kernels/row_kernel.h: `threads` threads share a row, and hold `values` elements
// each.
typedef struct row_shape {
  const char *name;
  int threads, values;
} row_shape;

static const row_shape shapes[] = {{"16x8", 16, 8},         {"64x16", 64, 16},      {"256x16", 256, 16},
                                   {"1024x16", 1024, 16},   {"1024x32", 1024, 32},  {"1024x64", 1024, 64},
                                   {"1024x128", 1024, 128}, {"1024x160", 1024, 160}};
static const row_shape any_shape = {"any", 1024, 16};

enum { LEAST_THREADS = 256 };  // of a work-group

wt_status wt_check_columns(wt_context *context, int64_t columns) {
  if (columns >= 1 && columns <= WT_MOST_COLUMNS) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE, "desc->columns is %" PRId64 "; pass a size from 1 to %d", columns,
                 WT_MOST_COLUMNS);
}

const char *wt_row_type(wt_type type) {
  switch (type) {
    case WT_TYPE_F32: return "f32";
    case WT_TYPE_BF16: return "bf16";
    case WT_TYPE_F16: return "f16";
    default: return NULL;
  }
}

wt_status wt_row_matrix(wt_context *context, const char *name, const void *pointer, wt_type type,
                        int64_t rows, int64_t columns, const char *ld_name, int64_t ld, bool written,
                        wt_operand *out) {
  if (ld == 0) ld = columns;
  if (ld < columns)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->%s is %" PRId64 ", but a row of %s has %" PRId64
                   " elements; pass at least that, or 0 for packed rows",
                   ld_name, ld, name, columns);
  *out = (wt_operand){.name = name,
                      .pointer = pointer,
                      .element = wt_type_size(type),
                      .alignment = wt_type_size(type),
                      .axes = {{rows, ld}, {columns, 1}},
                      .written = written};
  if (wt_operand_span(out)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->%s is %" PRId64 ", so that %s spans more than 2^63 bytes; pass a smaller one",
                 ld_name, ld, name);
}

bool wt_row_in_place(const wt_operand *out, const wt_operand *in) {
  return out->pointer == in->pointer && out->element == in->element &&
         (out->axes[0].stride == in->axes[0].stride || out->axes[0].count == 1);
}

wt_status wt_row_find(wt_context *context, const char *stem, const char *name, int64_t rows, int64_t columns,
                      int most_values, wt_row_launch *out) {
  const row_shape *shape = &any_shape;
  for (int i = (int)(sizeof shapes / sizeof *shapes) - 1; i >= 0; --i)
    if (shapes[i].values <= most_values && shapes[i].threads * shapes[i].values >= columns)
      shape = &shapes[i];
  const int threads = shape->threads < LEAST_THREADS ? LEAST_THREADS : shape->threads;
  *out = (wt_row_launch){.launch = {.y = 1, .z = 1, .threads = (unsigned)threads},
                         .rows = (int)rows,
                         .teams = threads / shape->threads};
  snprintf(out->launch.symbol, sizeof out->launch.symbol, "%s_%s", name, shape->name);
  return wt_launch_find(context, stem, &out->launch);
}

wt_status wt_row_enqueue(wt_context *context, wt_row_launch *launch, void *args, int *first,
                         hipStream_t stream) {
  const int64_t most = WT_MOST_THREADS_X / launch->launch.threads * launch->teams;
  wt_status status = WT_SUCCESS;
  for (int64_t row = 0; row < launch->rows && !status; row += most) {
    *first = (int)row;
    launch->launch.x = (unsigned)wt_divide_up(wt_at_most(launch->rows - row, most), launch->teams);
    status = wt_launch_enqueue(context, &launch->launch, args, stream);
  }
  return status;
}

wt_status wt_row_find_pieces(wt_context *context, const char *stem, const char *name, int64_t rows,
                             int64_t columns, int threads, int most, int *teams, wt_launch *out) {
  const row_shape *shape = &shapes[columns <= shapes[0].threads * shapes[0].values ? 0 : 1];
  const int per_group = threads / shape->threads;
  const int64_t pieces = rows * wt_divide_up(columns, shape->threads * shape->values);
  *out = (wt_launch){.y = 1, .z = 1, .threads = (unsigned)threads};
  out->x = (unsigned)wt_at_most(wt_divide_up(pieces, per_group), most);
  *teams = (int)out->x * per_group;
  snprintf(out->symbol, sizeof out->symbol, "%s_%s", name, shape->name);
  return wt_launch_find(context, stem, out);
}
