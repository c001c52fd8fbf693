// SPDX-License-Identifier: MIT
// The grouped products and their gradients: check, then launch. The queries stand here, too.
#include <inttypes.h>

#include "core/workspace.h"
#include "grouped_plan.h"

static wt_status check_workspace(wt_context *context, const wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const size_t bytes = wt_grouped_workspace(d);
  if (d->workspace && d->workspace_bytes < bytes)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "desc->workspace_bytes is %zu, but rows by index need %zu (see "
                   "wt_grouped_workspace_size); pass more",
                   d->workspace_bytes, bytes);
  const size_t most = wt_workspace_most(context);
  if (!d->workspace && most < bytes)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->workspace is NULL, but rows by index need %zu bytes and the context has %zu; pass "
                   "memory of the device",
                   bytes, most);
  return WT_SUCCESS;
}

static wt_status check_memory(wt_context *context, const wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const int64_t columns = d->groups * d->n;
  enum { MOST = 9 };
  wt_operand all[MOST] = {plan->a.operand, plan->b.operand, plan->c.operand, plan->places};
  int count = 4;
  const struct {
    const char *name;
    const float *pointer;
    int64_t numbers;
  } vectors[] = {{"desc->group_scale", d->group_scale, d->groups},
                 {"desc->row_scale", d->row_scale, plan->rows},
                 {"desc->column_scale", d->column_scale, columns},
                 {"desc->bias", d->bias, columns}};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    if (vectors[i].pointer)
      all[count++] = wt_operand_vector(vectors[i].name, vectors[i].pointer, 4, 4, vectors[i].numbers);
  const size_t bytes = wt_grouped_workspace(d);
  if (bytes && d->workspace) {
    all[count] = wt_operand_vector("desc->workspace", d->workspace, 1, 16, (int64_t)bytes);
    all[count++].written = true;
  }
  return wt_operands_check(context, all, count);
}

// Where rows are by index and the descriptor has no workspace, the context's serves for the time of the call.
static wt_status launch_with_workspace(wt_context *context, const wt_grouped_plan *plan, hipStream_t stream) {
  const size_t bytes = wt_grouped_workspace(&plan->desc);
  if (!bytes) return wt_grouped_launch(context, plan, NULL, stream);
  if (plan->desc.workspace) return wt_grouped_launch(context, plan, plan->desc.workspace, stream);
  void *workspace = wt_workspace_take(context, bytes, stream);
  if (!workspace)
    return wt_fail(context, WT_ERROR_DEVICE,
                   "device %d has no memory left for the %zu bytes that rows by index need; free some",
                   context->device, bytes);
  const wt_status status = wt_grouped_launch(context, plan, workspace, stream);
  const wt_status given = wt_workspace_give_back(context, workspace, stream);
  return status ? status : given;
}

static wt_status run(wt_context *context, const wt_grouped_desc *desc, wt_grouped_pass pass,
                     wt_grouped_pointers pointers, hipStream_t stream) {
  wt_grouped_plan plan;
  wt_status status = wt_grouped_plan_make(context, desc, pass, pointers, &plan);
  if (!status) status = check_workspace(context, &plan);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &plan);
  if (!status) status = launch_with_workspace(context, &plan, stream);
  wt_device_leave(previous);
  return status;
}

wt_status wt_grouped_chosen(wt_context *context, const wt_grouped_desc *desc, wt_grouped_pass pass,
                            const char **name) {
  if (!name)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass the address of a string pointer");
  *name = NULL;
  wt_grouped_plan plan;
  const wt_status status = wt_grouped_plan_make(context, desc, pass, (wt_grouped_pointers){0}, &plan);
  if (!status) *name = plan.kernel->stem;
  return status;
}

wt_status wt_grouped_workspace_size(wt_context *context, const wt_grouped_desc *desc, size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  wt_grouped_desc copy;
  const wt_status status = wt_grouped_desc_check(context, desc, &copy);
  if (!status) *bytes = wt_grouped_workspace(&copy);
  return status;
}

wt_status wt_grouped_forward(wt_context *context, const wt_grouped_desc *desc, const void *x, const void *w,
                             void *y, const int32_t *rows, struct ihipStream_t *stream) {
  return run(context, desc, WT_GROUPED_FORWARD, (wt_grouped_pointers){x, w, y, rows}, stream);
}

wt_status wt_grouped_backward_input(wt_context *context, const wt_grouped_desc *desc, const void *dy,
                                    const void *w, void *dx, const int32_t *rows,
                                    struct ihipStream_t *stream) {
  return run(context, desc, WT_GROUPED_BACKWARD_INPUT, (wt_grouped_pointers){dy, w, dx, rows}, stream);
}

wt_status wt_grouped_backward_weight(wt_context *context, const wt_grouped_desc *desc, const void *dy,
                                     const void *x, void *dw, const int32_t *rows,
                                     struct ihipStream_t *stream) {
  return run(context, desc, WT_GROUPED_BACKWARD_WEIGHT, (wt_grouped_pointers){dy, x, dw, rows}, stream);
}
