// SPDX-License-Identifier: MIT
// Implements the grouped products and their gradients: first it checks, then it launches. The queries stand
// here, too.
#include <inttypes.h>

#include "core/workspace.h"
#include "grouped_plan.h"

static wt_workspace workspace_of(const wt_grouped_desc *d) {
  return (wt_workspace){.bytes = wt_grouped_workspace(d),
                        .what = "rows by index",
                        .query = "wt_grouped_workspace_size",
                        .given = d->workspace,
                        .given_bytes = d->workspace_bytes};
}

static wt_status check_memory(wt_context *context, const wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const int64_t columns = d->groups * plan->n;
  const int64_t rows = plan->pass == WT_GROUPED_BACKWARD_WEIGHT ? d->groups * plan->m : plan->rows;
  enum { MOST = 11 };
  wt_operand all[MOST] = {plan->a.operand, plan->b.operand, plan->c.operand, plan->places};
  int count = 4;
  const struct {
    const char *name;
    const float *pointer;
    int64_t numbers;
  } vectors[] = {{"desc->group_scale", d->group_scale, d->groups},
                 {"desc->row_scale", d->row_scale, rows},
                 {"desc->column_scale", d->column_scale, columns},
                 {"desc->bias", d->bias, columns}};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    if (vectors[i].pointer)
      all[count++] = wt_operand_vector(vectors[i].name, vectors[i].pointer, 4, 4, vectors[i].numbers);
  if (plan->a_scale.pointer) all[count++] = plan->a_scale;
  if (plan->b_scale.pointer) all[count++] = plan->b_scale;
  const wt_workspace workspace = workspace_of(d);
  count = wt_workspace_add_operand(&workspace, all, count);
  return wt_operands_check(context, all, count);
}

static wt_status launch(wt_context *context, const void *plan, void *workspace, hipStream_t stream) {
  return wt_grouped_launch(context, plan, workspace, stream);
}

static wt_status run(wt_context *context, const wt_grouped_desc *desc, wt_grouped_pass pass,
                     wt_grouped_pointers pointers, hipStream_t stream) {
  wt_grouped_plan plan;
  wt_status status = wt_grouped_plan_make(context, desc, pass, pointers, &plan);
  const wt_workspace workspace = workspace_of(&plan.desc);
  if (!status) status = wt_workspace_check(context, &workspace);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  status = check_memory(context, &plan);
  if (!status) status = wt_workspace_run(context, &workspace, launch, &plan, stream);
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
