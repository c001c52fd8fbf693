// SPDX-License-Identifier: MIT
// wt_norm_backward: check, then launch the gradients of the rows, and the reduction of those of weight and
// bias.
#include <inttypes.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "norm_check.h"

// Describes the shapes of kernels/norm/norm_backward.hip: `threads` share a row, and hold `values` elements
// each. Longer rows take the kernels "any" and "weight".
typedef struct backward_shape {
  const char *name;
  int threads, values;
} backward_shape;
static const backward_shape shapes[] = {
    {"16x8", 16, 8}, {"64x16", 64, 16}, {"256x16", 256, 16}, {"512x16", 512, 16}};
enum {
  SHAPES = sizeof shapes / sizeof *shapes,
  LEAST_THREADS = 256,     // of a work-group
  ANY_THREADS = 512,       // of kernel "any"
  WEIGHT_THREADS = 256,    // of kernel "weight"
  WEIGHT_COLUMNS = 4096,   // of its work-groups
  REDUCE_COLUMNS = 256,    // of a work-group of kernels/norm/norm_reduce.hip, a thread each
  LEAST_ROWS_PER_TEAM = 8  // that a row of the parts should stand for
};
// These are the rows of the parts: enough to occupy every compute unit (304 in an MI300X), and few beside the
// matrices.
enum { MOST_GROUPS = 512 };

typedef struct backward_plan {
  wt_norm_backward_desc desc;
  norm_shape shape;
  const backward_shape *held;  // NULL: the row does not fit
  unsigned threads;
  int groups;
  int wanted;          // of weight and bias, how many gradients
  int64_t part_bytes;  // of all the parts of one of them
} backward_plan;

static wt_status plan_of(wt_context *context, const wt_norm_backward_desc *desc, backward_plan *plan) {
  static const wt_desc_layout layout = {"wt_norm_backward_desc", "WT_NORM_BACKWARD_DESC_INIT",
                                        sizeof(wt_norm_backward_desc), 0};
  wt_norm_backward_desc *d = &plan->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (status) return status;
  plan->shape = (norm_shape){d->rows, d->columns, d->kind, d->type, d->type_weight, d->dropout, d->seed};
  status = norm_check_shape(context, &plan->shape);
  if (status) return status;
  plan->held = NULL;
  for (int i = SHAPES - 1; i >= 0; --i)
    if (shapes[i].threads * shapes[i].values >= d->columns) plan->held = &shapes[i];
  const int threads = plan->held ? plan->held->threads : WEIGHT_THREADS;
  plan->threads = (unsigned)(threads < LEAST_THREADS ? LEAST_THREADS : threads);
  const int64_t teams = plan->threads / (unsigned)threads;
  plan->groups = (int)wt_at_most(wt_divide_up(d->rows, teams * LEAST_ROWS_PER_TEAM), MOST_GROUPS);
  plan->wanted = (d->dweight != NULL) + (d->dbias != NULL);
  plan->part_bytes = plan->groups * d->columns * (int64_t)sizeof(float);
  return WT_SUCCESS;
}

static wt_status check_workspace(wt_context *context, const backward_plan *plan) {
  const wt_norm_backward_desc *d = &plan->desc;
  const uint64_t need = (uint64_t)(plan->wanted * plan->part_bytes);
  if (!plan->wanted) return WT_SUCCESS;
  if (!d->workspace)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->workspace is NULL, but dweight or dbias is wanted; pass %" PRIu64
                   " bytes (wt_norm_backward_workspace_size)",
                   need);
  if (d->workspace_bytes < need)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "desc->workspace_bytes is %zu, but the gradients of weight and bias take %" PRIu64
                   " (wt_norm_backward_workspace_size)",
                   d->workspace_bytes, need);
  return WT_SUCCESS;
}

static wt_status operands_of(wt_context *context, const backward_plan *plan, const void *dy, const void *sum,
                             void *dx, norm_operands *all) {
  const wt_norm_backward_desc *d = &plan->desc;
  const norm_shape *s = &plan->shape;
  if (!dx && !d->dresidual && !plan->wanted)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "dx, desc->dresidual, desc->dweight and desc->dbias are NULL; pass memory for a gradient");
  wt_status status = check_workspace(context, plan);
  const wt_type t = d->type;
  if (!status) status = norm_add_matrix(context, all, s, "dy", dy, t, "lddy", d->lddy, false, true);
  if (!status) status = norm_add_matrix(context, all, s, "sum", sum, t, "ldsum", d->ldsum, false, true);
  if (!status)
    status = norm_add_matrix(context, all, s, "desc->dsum", d->dsum, t, "lddsum", d->lddsum, false, false);
  if (!status) status = norm_add_matrix(context, all, s, "dx", dx, t, "lddx", d->lddx, true, false);
  if (!status)
    status = norm_add_matrix(context, all, s, "desc->dresidual", d->dresidual, t, "lddresidual",
                             d->lddresidual, true, false);
  norm_add_vector(all, "desc->weight", d->weight, d->type_weight, d->columns, false);
  norm_add_vector(all, "desc->dweight", d->dweight, d->type_weight, d->columns, true);
  norm_add_vector(all, "desc->dbias", d->dbias, d->type_weight, d->columns, true);
  if (plan->wanted)
    norm_add_vector(all, "desc->workspace", d->workspace, WT_TYPE_F32,
                    plan->wanted * plan->part_bytes / (int64_t)sizeof(float), true);
  // Needed, so NULL is added to be refused.
  all->all[all->count++] = wt_operand_vector("desc->rstd", d->rstd, sizeof(float), sizeof(float), d->rows);
  if (d->kind == WT_NORM_LAYER)
    all->all[all->count++] = wt_operand_vector("desc->mean", d->mean, sizeof(float), sizeof(float), d->rows);
  return status;
}

static wt_norm_backward_args args_of(const backward_plan *plan, const void *dy, const void *sum, void *dx) {
  const wt_norm_backward_desc *d = &plan->desc;
  const norm_shape *s = &plan->shape;
  float *parts = d->workspace;
  float *second = d->dweight && plan->wanted == 2 ? parts + plan->part_bytes / (int64_t)sizeof(float) : parts;
  return (wt_norm_backward_args){.dy = dy,
                                 .dsum = d->dsum,
                                 .z = sum,
                                 .weight = d->weight,
                                 .mean = d->mean,
                                 .rstd = d->rstd,
                                 .dx = dx,
                                 .dresidual = d->dresidual,
                                 .dweight_parts = d->dweight ? parts : NULL,
                                 .dbias_parts = d->dbias ? second : NULL,
                                 .dy_row = norm_stride(d->lddy, s),
                                 .dsum_row = norm_stride(d->lddsum, s),
                                 .z_row = norm_stride(d->ldsum, s),
                                 .dx_row = norm_stride(d->lddx, s),
                                 .dresidual_row = norm_stride(d->lddresidual, s),
                                 .rows = (int)d->rows,
                                 .columns = (int)d->columns,
                                 .groups = plan->groups,
                                 .dropout = norm_dropout_of(s)};
}

// Returns a launch of the kernel whose name ends in `shape`, of `x` groups of columns.
static wt_launch launch_of(const backward_plan *plan, const char *shape, unsigned x, unsigned threads) {
  wt_launch launch = {.x = x, .y = (unsigned)plan->groups, .z = 1, .threads = threads};
  char name[64];
  norm_kernel_name(name, sizeof name, "norm_backward", norm_kind_name(plan->shape.kind), &plan->shape);
  snprintf(launch.symbol, sizeof launch.symbol, "%s_%s", name, shape);
  return launch;
}

static wt_status launch_all(wt_context *context, const backward_plan *plan, wt_norm_backward_args args,
                            hipStream_t stream) {
  const wt_norm_backward_desc *d = &plan->desc;
  const unsigned slices = (unsigned)wt_divide_up(d->columns, WEIGHT_COLUMNS);
  wt_launch first = plan->held ? launch_of(plan, plan->held->name, 1, plan->threads)
                               : launch_of(plan, "weight", slices, WEIGHT_THREADS);
  wt_row_launch rows = {.launch = launch_of(plan, "any", 1, ANY_THREADS), .rows = (int)d->rows, .teams = 1};
  rows.launch.y = 1;
  wt_launch reduce = {.x = (unsigned)wt_divide_up(d->columns, REDUCE_COLUMNS),
                      .y = (unsigned)plan->wanted,
                      .z = 1,
                      .threads = REDUCE_COLUMNS};
  snprintf(reduce.symbol, sizeof reduce.symbol, "norm_reduce_%s", wt_row_type(d->type_weight));
  wt_status status = wt_launch_find(context, "norm_backward", &first);
  if (!status) status = wt_launch_find(context, "norm_backward", &rows.launch);
  if (!status) status = wt_launch_find(context, "norm_reduce", &reduce);

  // The sums for weight and bias come first: dx may take the place of what they are made from.
  if (!status && (plan->held || plan->wanted)) status = wt_launch_enqueue(context, &first, &args, stream);
  if (!status && !plan->held && (args.dx || args.dresidual))
    status = wt_row_enqueue(context, &rows, &args, &args.first, stream);
  wt_norm_reduce_args reduction = {.columns = (int)d->columns, .count = plan->groups};
  int wanted = 0;
  if (d->dweight) reduction.parts[wanted] = args.dweight_parts, reduction.to[wanted++] = d->dweight;
  if (d->dbias) reduction.parts[wanted] = args.dbias_parts, reduction.to[wanted++] = d->dbias;
  if (!status && wanted) status = wt_launch_enqueue(context, &reduce, &reduction, stream);
  return status;
}

wt_status wt_norm_backward(wt_context *context, const wt_norm_backward_desc *desc, const void *dy,
                           const void *sum, void *dx, struct ihipStream_t *stream) {
  backward_plan plan;
  norm_operands all = {.count = 0};
  wt_status status = plan_of(context, desc, &plan);
  if (!status) status = operands_of(context, &plan, dy, sum, dx, &all);
  if (status) return status;
  int previous;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = wt_operands_check(context, all.all, all.count);
  if (!status) status = launch_all(context, &plan, args_of(&plan, dy, sum, dx), stream);
  wt_device_leave(previous);
  return status;
}

wt_status wt_norm_backward_workspace_size(wt_context *context, const wt_norm_backward_desc *desc,
                                          size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  backward_plan plan;
  const wt_status status = plan_of(context, desc, &plan);
  if (!status) *bytes = (size_t)(plan.wanted * plan.part_bytes);
  return status;
}
