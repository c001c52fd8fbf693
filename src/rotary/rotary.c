// SPDX-License-Identifier: MIT
// wt_rotary: check, form the frequencies, then launch.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "kernels/rotary/rotary_args.h"

enum { MOST_DIMS = 1 << 20 };

typedef struct rotary_call {
  wt_rotary_desc desc;
  wt_operand in, out;
  bool in_place;
} rotary_call;

static wt_status check_range(wt_context *context, const char *name, int64_t value, int64_t least,
                             int64_t most) {
  if (value >= least && value <= most) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE, "desc->%s is %" PRId64 "; pass a size from %" PRId64 " to %" PRId64,
                 name, value, least, most);
}

static wt_status check_sizes(wt_context *context, wt_rotary_desc *d) {
  wt_status status = check_range(context, "batch", d->batch, 1, INT32_MAX);
  if (!status) status = check_range(context, "rows", d->rows, 1, INT32_MAX);
  if (!status && d->batch > INT32_MAX / d->rows)
    status = wt_fail(context, WT_ERROR_SIZE,
                     "desc->batch is %" PRId64 ", which with %" PRId64
                     " rows each is more than %d; split the batch",
                     d->batch, d->rows, INT32_MAX);
  if (!status)
    status = check_range(context, "heads", d->heads, 1, (int64_t)WT_MOST_GROUPS_YZ * WT_ROTARY_HEADS);
  if (!status) status = check_range(context, "head_dim", d->head_dim, 1, MOST_DIMS);
  if (status) return status;
  if (d->rotary_dim == 0) d->rotary_dim = d->head_dim;
  if (d->rotary_dim < 2 || d->rotary_dim % 2 || d->rotary_dim > 2 * WT_ROTARY_MOST_PAIRS ||
      d->rotary_dim > d->head_dim)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->rotary_dim is %" PRId64 " (0 means head_dim, %" PRId64
                   "); pass an even number up to that and %d",
                   d->rotary_dim, d->head_dim, 2 * WT_ROTARY_MOST_PAIRS);
  return WT_SUCCESS;
}

static wt_status check_angles(wt_context *context, const wt_rotary_desc *d) {
  if (!(d->theta > 0 && isfinite(d->theta)))
    return wt_fail(context, WT_ERROR_VALUE, "desc->theta is %g; pass a positive number", d->theta);
  for (int64_t i = 0; d->frequencies && i < d->rotary_dim / 2; ++i)
    if (!isfinite(d->frequencies[i]))
      return wt_fail(context, WT_ERROR_VALUE, "desc->frequencies[%" PRId64 "] is %g; pass finite numbers", i,
                     d->frequencies[i]);
  if (!d->cosine != !d->sine)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->%s is NULL, but desc->%s is not; pass both tables or none",
                   d->cosine ? "sine" : "cosine", d->cosine ? "cosine" : "sine");
  if (d->cosine && d->frequencies)
    return wt_fail(
        context, WT_ERROR_VALUE,
        "desc->frequencies is set, but so are the tables desc->cosine and desc->sine; pass one of them");
  if (d->cosine) {
    const wt_status status = check_range(context, "table_rows", d->table_rows, 1, INT32_MAX);
    if (status) return status;
    if (d->ldtable && d->ldtable < d->rotary_dim / 2)
      return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                     "desc->ldtable is %" PRId64 ", but a row of the tables has %" PRId64
                     " elements; pass at least that, or 0 for packed rows",
                     d->ldtable, d->rotary_dim / 2);
  }
  return WT_SUCCESS;
}

static wt_status check_positions(wt_context *context, const wt_rotary_desc *d) {
  if (d->positions) {
    if (d->positions_batch >= 0) return WT_SUCCESS;
    return wt_fail(context, WT_ERROR_STRIDE, "desc->positions_batch is %" PRId64 "; pass 0 or more",
                   d->positions_batch);
  }
  if (d->offset < INT32_MIN || d->offset > INT32_MAX - (d->rows - 1))
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->offset is %" PRId64 ", but the positions of %" PRId64
                   " rows from there on must be 32-bit integers",
                   d->offset, d->rows);
  if (d->cosine && (d->offset < 0 || d->offset + d->rows > d->table_rows))
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->offset is %" PRId64 ", but the tables have %" PRId64 " rows for %" PRId64
                   " positions from there on; pass longer tables",
                   d->offset, d->table_rows, d->rows);
  return WT_SUCCESS;
}

// Makes a tensor of the call, with the strides that 0 stands for.
static wt_status make_tensor(wt_context *context, const wt_rotary_desc *d, const char *name,
                             const void *pointer, const wt_rotary_strides *strides, bool written,
                             wt_operand *out) {
  const int64_t head = strides->head ? strides->head : d->head_dim;
  const int64_t row = strides->row ? strides->row : d->heads * d->head_dim;
  const int64_t batch = strides->batch ? strides->batch : d->rows * d->heads * d->head_dim;
  const size_t element_bytes = wt_type_size(d->type);
  *out = (wt_operand){.name = name,
                      .pointer = pointer,
                      .element_bytes = element_bytes,
                      .alignment = element_bytes,
                      .axes = {{d->batch, batch}, {d->rows, row}, {d->heads, head}, {d->head_dim, 1}},
                      .written = written};
  if (head < 0 || row < 0 || batch < 0)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->strides_%s are %" PRId64 ", %" PRId64 ", %" PRId64
                   " for batch, row and head; pass none below 0",
                   name, strides->batch, strides->row, strides->head);
  if (!wt_operand_span(out))
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->strides_%s make %s span more than 2^63 bytes; pass smaller ones", name, name);
  if (written && !wt_operand_is_injective(out))
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->strides_out are %" PRId64 ", %" PRId64 ", %" PRId64
                   " for batch, row and head, so that out overlaps itself; pass larger ones",
                   batch, row, head);
  return WT_SUCCESS;
}

static bool same_place(const wt_operand *x, const wt_operand *y) {
  for (int i = 0; i < WT_AXES; ++i)
    if (x->axes[i].count > 1 && x->axes[i].stride != y->axes[i].stride) return false;
  return x->pointer == y->pointer;
}

static wt_status make_call(wt_context *context, const wt_rotary_desc *desc, const void *in, void *out,
                           rotary_call *call) {
  static const wt_desc_layout layout = {"wt_rotary_desc", "WT_ROTARY_DESC_INIT", sizeof(wt_rotary_desc), 0};
  wt_rotary_desc *d = &call->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = check_sizes(context, d);
  if (status) return status;
  if (!wt_row_type(d->type))
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE,
        "desc->type is %s (%d), but rotary embeddings take WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
        wt_type_name(d->type), (int)d->type);
  if (d->layout != WT_ROTARY_HALF && d->layout != WT_ROTARY_INTERLEAVED)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->layout is %d; pass WT_ROTARY_HALF or WT_ROTARY_INTERLEAVED", (int)d->layout);
  status = wt_check_flag(context, "inverse", d->inverse);
  if (!status) status = check_angles(context, d);
  if (!status) status = check_positions(context, d);
  if (!status) status = make_tensor(context, d, "in", in, &d->strides_in, false, &call->in);
  if (!status) status = make_tensor(context, d, "out", out, &d->strides_out, true, &call->out);
  call->in_place = !status && same_place(&call->in, &call->out);
  return status;
}

static wt_status check_memory(wt_context *context, const rotary_call *call) {
  const wt_rotary_desc *d = &call->desc;
  wt_operand all[5] = {call->out};
  int count = 1;
  if (!call->in_place) all[count++] = call->in;
  if (d->positions) {
    wt_operand *x = &all[count++];
    *x = wt_operand_vector("desc->positions", d->positions, sizeof(int32_t), sizeof(int32_t), d->rows);
    x->axes[1] = (wt_axis){d->batch, d->positions_batch};
    if (!wt_operand_span(x))
      return wt_fail(context, WT_ERROR_SIZE,
                     "desc->positions_batch is %" PRId64 ", so that positions span more than 2^63 bytes",
                     d->positions_batch);
  }
  const void *const tables[] = {d->cosine, d->sine};
  static const char *const names[] = {"desc->cosine", "desc->sine"};
  for (int i = 0; i < 2 && d->cosine; ++i) {
    const wt_status status = wt_row_matrix(context, names[i], tables[i], WT_TYPE_F32, d->table_rows,
                                           d->rotary_dim / 2, "ldtable", d->ldtable, false, &all[count++]);
    if (status) return status;
  }
  return wt_operands_check(context, all, count);
}

// Returns an angle in units of 2^-64 of a full circle, modulo a full circle. Long double, where it has 64
// bits of fraction, keeps them all.
static unsigned long long turns_of(long double radians) {
  const long double turn = 6.283185307179586476925286766559L;
  long double turns = radians / turn;
  turns -= floorl(turns);
  const long double scaled = roundl(turns * 0x1p64L);
  return scaled >= 0x1p64L ? 0 : (unsigned long long)scaled;
}

static wt_rotary_place place_of(const wt_operand *x) {
  return (wt_rotary_place){x->axes[0].stride, x->axes[1].stride, x->axes[2].stride};
}

static wt_rotary_args args_of(const rotary_call *call) {
  const wt_rotary_desc *d = &call->desc;
  wt_rotary_args args = {.in = call->in.pointer,
                         .out = (void *)(uintptr_t)call->out.pointer,
                         .in_step = place_of(&call->in),
                         .out_step = place_of(&call->out),
                         .positions = d->positions,
                         .positions_batch = d->positions_batch,
                         .cosine = d->cosine,
                         .sine = d->sine,
                         .table_row = d->ldtable ? d->ldtable : d->rotary_dim / 2,
                         .table_rows = d->cosine ? (int)d->table_rows : 0,
                         .rows = (int)d->rows,
                         .heads = (int)d->heads,
                         .dims = (int)d->head_dim,
                         .pairs = (int)d->rotary_dim / 2,
                         .offset = (int)d->offset,
                         .inverse = d->inverse,
                         .copies = !call->in_place};
  for (int i = 0; i < args.pairs && !d->cosine; ++i)
    args.frequency[i] =
        turns_of(d->frequencies ? (long double)d->frequencies[i]
                                : powl((long double)d->theta, -2.0L * i / (long double)d->rotary_dim));
  return args;
}

static wt_status launch(wt_context *context, const rotary_call *call, hipStream_t stream) {
  wt_rotary_args args = args_of(call);
  wt_launch l = {.z = 1, .threads = WT_ROTARY_THREADS};
  l.y = (unsigned)wt_divide_up(args.heads, WT_ROTARY_HEADS);
  snprintf(l.symbol, sizeof l.symbol, "rotary_%s_%s",
           call->desc.layout == WT_ROTARY_HALF ? "half" : "interleaved", wt_row_type(call->desc.type));
  wt_status status = wt_launch_find(context, "rotary", &l);
  // These are the pieces of a row, as kernels/rotary/rotary.hip divides it.
  const int each = 16 / (int)call->in.element_bytes, rest = args.copies ? args.dims - 2 * args.pairs : 0;
  const int pieces = args.pairs / each + args.pairs % each + rest / each + rest % each;
  const int64_t rows = call->desc.batch * call->desc.rows, most = (INT32_MAX - WT_ROTARY_THREADS) / pieces;
  for (int64_t first = 0; first < rows && !status; first += most) {
    const int64_t count = wt_at_most(rows - first, most);
    args.first = (int)first, args.end = (int)(first + count);
    l.x = (unsigned)wt_divide_up(count * pieces, WT_ROTARY_THREADS);
    status = wt_launch_enqueue(context, &l, &args, stream);
  }
  return status;
}

wt_status wt_rotary(wt_context *context, const wt_rotary_desc *desc, const void *in, void *out,
                    struct ihipStream_t *stream) {
  rotary_call call;
  wt_status status = make_call(context, desc, in, out, &call);
  if (status) return status;
  int previous;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &call);
  if (!status) status = launch(context, &call, stream);
  wt_device_leave(previous);
  return status;
}
