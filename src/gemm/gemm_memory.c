// SPDX-License-Identifier: MIT
// Checks the pointers of a GEMM against its plan.
#include "gemm_plan.h"

wt_status wt_gemm_plan_check_memory(wt_context *context, const wt_gemm_plan *plan, const void *a,
                                    const void *b, const void *c) {
  const wt_gemm_desc *d = &plan->desc;
  enum { MOST = 7 };
  wt_operand all[MOST] = {wt_gemm_operand(plan, &plan->a, a), wt_gemm_operand(plan, &plan->b, b),
                          wt_gemm_operand(plan, &plan->c, c)};
  all[2].written = true;
  int count = 3;
  if (d->row_scale) all[count++] = wt_operand_vector("desc->row_scale", d->row_scale, 4, 4, d->m);
  if (d->column_scale) all[count++] = wt_operand_vector("desc->column_scale", d->column_scale, 4, 4, d->n);
  if (d->bias) all[count++] = wt_operand_vector("desc->bias", d->bias, 4, 4, d->n);
  const int64_t workspace = (int64_t)wt_gemm_plan_workspace(context, plan);
  if (workspace && d->workspace) {
    all[count] = wt_operand_vector("desc->workspace", d->workspace, 1, 16, workspace);
    all[count++].written = true;
  }
  return wt_operands_check(context, all, count);
}
