// SPDX-License-Identifier: MIT
// Checks a grouped descriptor member by member, and makes the product of a group of it.
#include "grouped_plan.h"

#include <inttypes.h>
#include <string.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "gemm/kernels.h"
#include "grouped_scales.h"
#include "kernels/grouped/grouped_args.h"

// The names of a pass's operands, and the members that say their types.
typedef struct pass_names {
  const char *a, *b, *c;
  const char *type_a, *type_b, *type_c;
} pass_names;
static const pass_names names[] = {
    [WT_GROUPED_FORWARD] = {"x", "w", "y", "type_x", "type_w", "type_y"},
    [WT_GROUPED_BACKWARD_INPUT] = {"dy", "w", "dx", "type_y", "type_w", "type_x"},
    [WT_GROUPED_BACKWARD_WEIGHT] = {"dy", "x", "dw", "type_y", "type_x", "type_w"},
};

static wt_status check_sizes(wt_context *context, const wt_grouped_desc *d) {
  if (d->groups < 1 || d->groups > WT_GROUPED_MOST)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->groups is %" PRId64 "; pass 1 to %d, and more groups in several calls", d->groups,
                   WT_GROUPED_MOST);
  wt_status status = wt_check_size(context, "m", d->m);
  if (!status) status = wt_check_size(context, "n", d->n);
  if (!status) status = wt_check_size(context, "k", d->k);
  if (status) return status;
  if (d->contract < WT_GROUP_OFFSETS || d->contract > WT_GROUP_MASKED)
    return wt_fail(context, WT_ERROR_VALUE, "desc->contract is %d; pass a WT_GROUP_* number",
                   (int)d->contract);
  if (d->contract == WT_GROUP_MASKED && d->m > INT32_MAX / d->groups)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->m is %" PRId64 " for each of %" PRId64
                   " groups, more than %d rows together; pass fewer groups at once",
                   d->m, d->groups, INT32_MAX);
  if (d->expected_rows < 0 || d->expected_rows > d->m)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->expected_rows is %" PRId64 "; pass up to desc->m, which is %" PRId64
                   ", or 0 for the mean",
                   d->expected_rows, d->m);
  return WT_SUCCESS;
}

static wt_status check_types(wt_context *context, const wt_grouped_plan *plan, wt_type c) {
  const pass_names *of = &names[plan->pass];
  const wt_type a = plan->type_a, b = plan->type_b;
  const wt_target *target = context->target;
  const char *kind = target->ocp ? "" : "_FNUZ";
  const bool mx = wt_grouped_is_mx(&plan->desc);  // of types that have been checked
  if (!mx && !(wt_kernel_inputs(target, a, a) & (WT_INPUT_F8 | WT_INPUT_BF16 | WT_INPUT_F16)))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but grouped products on %s take WT_TYPE_F8E4M3%s, "
                   "WT_TYPE_F8E5M2%s, WT_TYPE_BF16 or WT_TYPE_F16 there",
                   of->type_a, wt_type_name(a), (int)a, target->name, kind, kind);
  if (!mx && !wt_kernel_inputs(target, a, b))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE, "desc->%s is %s (%d), but with %s %s it must be %s",
                   of->type_b, wt_type_name(b), (int)b, of->type_a, wt_type_name(a),
                   wt_kernel_inputs(target, a, a) & WT_INPUT_F8 ? "an FP8 type of this device" : "the same");
  if (c != WT_TYPE_F32 && c != WT_TYPE_BF16 && c != WT_TYPE_F16)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but this result is WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   of->type_c, wt_type_name(c), (int)c);
  return WT_SUCCESS;
}

static wt_status check_epilogue(wt_context *context, const wt_grouped_desc *d, wt_grouped_pass pass) {
  wt_status status = wt_check_finite(context, "alpha", d->alpha);
  if (!status) status = wt_check_finite(context, "beta", d->beta);
  if (!status) status = wt_check_activation(context, d->activation);
  if (status) return status;
  const struct {
    const char *name;
    bool set;
  } members[] = {{"row_scale", d->row_scale != NULL},
                 {"column_scale", d->column_scale != NULL},
                 {"bias", d->bias != NULL},
                 {"activation", d->activation != WT_ACTIVATION_NONE}};
  for (size_t i = 0; i < sizeof members / sizeof *members && pass != WT_GROUPED_FORWARD; ++i)
    if (members[i].set)
      return wt_fail(
          context, WT_ERROR_VALUE,
          "desc->%s is set, but the gradient is that of the sums alone; leave it at 0, and apply it to dy",
          members[i].name);
  return WT_SUCCESS;
}

// The matrices of the descriptor, and the columns of x, y and w.
static wt_status make_matrices(wt_context *context, wt_grouped_plan *plan, wt_grouped_pointers pointers) {
  const wt_grouped_desc *d = &plan->desc;
  const pass_names *of = &names[plan->pass];
  const bool weight = plan->pass == WT_GROUPED_BACKWARD_WEIGHT;
  const bool forward = plan->pass == WT_GROUPED_FORWARD;
  wt_operand *const x = forward ? &plan->a.operand : weight ? &plan->b.operand : &plan->c.operand;
  wt_operand *const w = weight ? &plan->c.operand : &plan->b.operand;
  wt_operand *const y = forward ? &plan->c.operand : &plan->a.operand;
  const void *const all[] = {pointers.a, pointers.b, pointers.c};
  const char *const called[] = {of->a, of->b, of->c};
  const int at_x = forward ? 0 : weight ? 1 : 2, at_w = weight ? 2 : 1, at_y = forward ? 2 : 0;
  wt_status status;
  if (wt_grouped_is_mx(d)) {
    status =
        wt_grouped_packed_matrix(context, "x", pointers.a, d->type_x, plan->rows, d->k, "ldx", d->ldx, x);
    if (!status)
      status = wt_grouped_packed_matrix(context, "w", pointers.b, d->type_w, d->groups * d->n, d->k, "ldw",
                                        d->ldw, w);
  } else {
    status = wt_row_matrix(context, called[at_x], all[at_x], d->type_x, plan->rows, d->k, "ldx", d->ldx,
                           at_x == 2, x);
    if (!status)
      status = wt_row_matrix(context, called[at_w], all[at_w], d->type_w, d->groups * d->n, d->k, "ldw",
                             d->ldw, at_w == 2, w);
  }
  if (!status)
    status = wt_row_matrix(context, called[at_y], all[at_y], d->type_y, plan->rows, d->n, "ldy", d->ldy,
                           at_y == 2, y);
  return status;
}

// Rows of a matrix along the product's rows, or along its columns.
static void lie(wt_grouped_matrix *matrix, bool across) {
  const int64_t ld = matrix->operand.axes[0].stride;
  matrix->row = across ? 1 : ld, matrix->column = across ? ld : 1;
}

static void make_product(wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const bool weight = plan->pass == WT_GROUPED_BACKWARD_WEIGHT;
  const bool forward = plan->pass == WT_GROUPED_FORWARD;
  plan->m = weight ? d->n : -1, plan->n = forward ? d->n : d->k;
  plan->k = weight ? -1 : forward ? d->k : d->n;
  lie(&plan->a, weight), lie(&plan->b, !forward), lie(&plan->c, false);
  plan->a.token = plan->a.operand.axes[0].stride;
  if (weight) {
    plan->b.token = plan->b.operand.axes[0].stride;
    plan->c.group = d->n * plan->c.operand.axes[0].stride;
  } else {
    plan->b.group = d->n * plan->b.operand.axes[0].stride;
    plan->c.token = plan->c.operand.axes[0].stride;
  }
}

size_t wt_grouped_workspace(const wt_grouped_desc *desc) {
  return desc->contract == WT_GROUP_INDICES ? 2 * sizeof(int32_t) * (size_t)desc->groups : 0;
}

wt_status wt_grouped_desc_check(wt_context *context, const wt_grouped_desc *desc, wt_grouped_desc *out) {
  static const wt_desc_layout layout = {"wt_grouped_desc", "WT_GROUPED_DESC_INIT", sizeof(wt_grouped_desc),
                                        NULL};
  const wt_status status = wt_desc_copy(context, &layout, desc, out);
  return status ? status : check_sizes(context, out);
}

wt_status wt_grouped_plan_make(wt_context *context, const wt_grouped_desc *desc, wt_grouped_pass pass,
                               wt_grouped_pointers pointers, wt_grouped_plan *plan) {
  memset(plan, 0, sizeof *plan);
  const wt_grouped_desc *d = &plan->desc;
  wt_status status = wt_grouped_desc_check(context, desc, &plan->desc);
  if (!status && (pass < WT_GROUPED_FORWARD || pass > WT_GROUPED_BACKWARD_WEIGHT))
    status = wt_fail(context, WT_ERROR_VALUE, "pass is %d; pass a WT_GROUPED_* number", (int)pass);
  if (status) return status;
  plan->pass = pass;
  const wt_type x = d->type_x, w = d->type_w, y = d->type_y;
  const bool forward = pass == WT_GROUPED_FORWARD, weight = pass == WT_GROUPED_BACKWARD_WEIGHT;
  plan->type_a = forward ? x : y, plan->type_b = weight ? x : w;
  status = wt_grouped_check_scales(context, d, pass);
  if (!status) status = check_types(context, plan, forward ? y : weight ? w : x);
  if (!status) status = check_epilogue(context, d, pass);
  if (status) return status;

  const bool masked = d->contract == WT_GROUP_MASKED;
  plan->rows = masked ? d->groups * d->m : d->m;
  plan->expected = d->expected_rows ? d->expected_rows : masked ? d->m : wt_divide_up(d->m, d->groups);
  const int64_t places = d->contract == WT_GROUP_INDICES ? d->m : d->groups + !masked;
  plan->places = wt_operand_vector("rows", pointers.places, 4, 4, places);
  status = make_matrices(context, plan, pointers);
  if (!status) status = wt_grouped_make_scales(context, plan);
  if (status) return status;
  make_product(plan);
  return wt_grouped_choose(context, plan);
}
