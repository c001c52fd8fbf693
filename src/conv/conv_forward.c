// SPDX-License-Identifier: MIT
// wt_conv_forward: check, then launch the chosen kernel. The queries stand here, too.
#include "conv_plan.h"

static wt_status check_memory(wt_context *context, const wt_conv_plan *plan) {
  const wt_conv_desc *d = &plan->desc;
  wt_operand all[5] = {plan->x, plan->w, plan->y};
  int count = 3;
  if (d->filter_scale) all[count++] = wt_operand_vector("desc->filter_scale", d->filter_scale, 4, 4, d->k);
  if (d->bias) all[count++] = wt_operand_vector("desc->bias", d->bias, 4, 4, d->k);
  return wt_operands_check(context, all, count);
}

wt_status wt_conv_output_size(wt_context *context, const wt_conv_desc *desc, int64_t *p, int64_t *q) {
  if (!p || !q)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "%s is NULL; pass the address of an int64_t",
                   p ? "q" : "p");
  *p = *q = 0;
  wt_conv_plan plan;
  const wt_status status = wt_conv_plan_make(context, desc, NULL, NULL, NULL, &plan);
  if (!status) *p = plan.p, *q = plan.q;
  return status;
}

wt_status wt_conv_chosen(wt_context *context, const wt_conv_desc *desc, const char **name) {
  if (!name)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass the address of a string pointer");
  *name = NULL;
  wt_conv_plan plan;
  const wt_status status = wt_conv_plan_make(context, desc, NULL, NULL, NULL, &plan);
  if (!status) *name = plan.kernel->stem;
  return status;
}

wt_status wt_conv_forward(wt_context *context, const wt_conv_desc *desc, const void *x, const void *w,
                          void *y, struct ihipStream_t *stream) {
  wt_conv_plan plan;
  wt_status status = wt_conv_plan_make(context, desc, x, w, y, &plan);
  if (status) return status;
  int previous = 0;
  status = wt_device_enter(context, &previous);
  if (status) return status;
  wt_launch launch;
  status = check_memory(context, &plan);
  if (!status) status = wt_conv_launch_find(context, &plan, &launch);
  if (!status) status = wt_conv_launch(context, &plan, &launch, stream);
  wt_device_leave(previous);
  return status;
}
