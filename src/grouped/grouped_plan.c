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

#define MEMBER(d, letter, called)                                  \
  ((wt_grouped_member){.name = (called),                           \
                       .type_name = "type_" #letter,               \
                       .ld_name = "ld" #letter,                    \
                       .scale_name = "desc->" #letter "_scale",    \
                       .scale_member = #letter "_scale",           \
                       .scale_row_name = #letter "_scale_row",     \
                       .scale_block_name = #letter "_scale_block", \
                       .type = (d)->type_##letter,                 \
                       .ld = (d)->ld##letter,                      \
                       .scale = (d)->letter##_scale,               \
                       .scale_row = (d)->letter##_scale_row,       \
                       .scale_block = (d)->letter##_scale_block})

// Says which matrix is which operand of the product: Y = X * W^T, dX = dY * W, or dW = dY^T * X.
static void name_operands(wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const bool forward = plan->pass == WT_GROUPED_FORWARD, weight = plan->pass == WT_GROUPED_BACKWARD_WEIGHT;
  const wt_grouped_member x = MEMBER(d, x, forward || weight ? "x" : "dx"),
                          w = MEMBER(d, w, weight ? "dw" : "w"), y = MEMBER(d, y, forward ? "y" : "dy");
  plan->a.member = forward ? x : y;
  plan->b.member = weight ? x : w;
  plan->c.member = forward ? y : weight ? w : x;
}

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
  if (d->w_group < 0)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->w_group is %" PRId64 "; pass a stride from 1, or 0 for groups without gaps",
                   d->w_group);
  if (d->expected_rows < 0 || d->expected_rows > d->m)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->expected_rows is %" PRId64 "; pass up to desc->m, which is %" PRId64
                   ", or 0 for the mean",
                   d->expected_rows, d->m);
  return WT_SUCCESS;
}

static wt_status check_types(wt_context *context, const wt_grouped_plan *plan) {
  const wt_grouped_member *a = &plan->a.member, *b = &plan->b.member, *c = &plan->c.member;
  const wt_target *target = context->target;
  const char *kind = target->ocp ? "" : "_FNUZ";
  const bool mx = plan->scaling == WT_GROUPED_E8M0;  // of types that have been checked
  if (!mx && !(wt_kernel_inputs(target, a->type, a->type) & (WT_INPUT_F8 | WT_INPUT_BF16 | WT_INPUT_F16)))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but grouped products on %s take WT_TYPE_F8E4M3%s, "
                   "WT_TYPE_F8E5M2%s, WT_TYPE_BF16 or WT_TYPE_F16 there",
                   a->type_name, wt_type_name(a->type), (int)a->type, target->name, kind, kind);
  if (!mx && !wt_kernel_inputs(target, a->type, b->type))
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE, "desc->%s is %s (%d), but with %s %s it must be %s", b->type_name,
        wt_type_name(b->type), (int)b->type, a->type_name, wt_type_name(a->type),
        wt_kernel_inputs(target, a->type, a->type) & WT_INPUT_F8 ? "an FP8 type of this device" : "the same");
  if (c->type != WT_TYPE_F32 && c->type != WT_TYPE_BF16 && c->type != WT_TYPE_F16)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->%s is %s (%d), but this result is WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16",
                   c->type_name, wt_type_name(c->type), (int)c->type);
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

// Makes an operand of rows as the descriptor has them.
static wt_status make_rows(wt_context *context, const void *pointer, int64_t rows, int64_t columns,
                           bool written, wt_grouped_matrix *out) {
  const wt_grouped_member *of = &out->member;
  return wt_row_matrix(context, of->name, pointer, of->type, rows, columns, of->ld_name, of->ld, written,
                       &out->operand);
}

// Does so for the matrices of all groups.
static wt_status make_weights(wt_context *context, const wt_grouped_desc *d, const void *pointer,
                              bool written, wt_grouped_matrix *out) {
  const int64_t groups_together = d->w_group ? 1 : d->groups;
  const wt_status status = make_rows(context, pointer, groups_together * d->n, d->k, written, out);
  if (status) return status;
  out->group = d->w_group ? d->w_group : d->n * out->operand.axes[0].stride;
  return d->w_group ? wt_operand_batch(context, &out->operand, d->groups, "w_group", d->w_group) : WT_SUCCESS;
}

static wt_status make_result(wt_context *context, wt_grouped_plan *plan, const void *pointer) {
  const wt_grouped_desc *d = &plan->desc;
  if (plan->pass == WT_GROUPED_BACKWARD_WEIGHT) return make_weights(context, d, pointer, true, &plan->c);
  const int64_t columns = plan->pass == WT_GROUPED_FORWARD ? d->n : d->k;
  const wt_status status = make_rows(context, pointer, plan->rows, columns, true, &plan->c);
  plan->c.token = plan->c.operand.axes[0].stride;
  return status;
}

// The operands without scales.
static wt_status make_factors(wt_context *context, wt_grouped_plan *plan, const void *a, const void *b) {
  const wt_grouped_desc *d = &plan->desc;
  const bool forward = plan->pass == WT_GROUPED_FORWARD, weight = plan->pass == WT_GROUPED_BACKWARD_WEIGHT;
  wt_status status = make_rows(context, a, plan->rows, forward ? d->k : d->n, false, &plan->a);
  plan->a.token = plan->a.operand.axes[0].stride;
  if (status) return status;
  if (!weight) return make_weights(context, d, b, false, &plan->b);
  status = make_rows(context, b, plan->rows, d->k, false, &plan->b);
  plan->b.token = plan->b.operand.axes[0].stride;
  return status;
}

// Rows of a matrix along the product's rows, or along its columns.
static void lie(wt_grouped_matrix *matrix, bool across) {
  const int64_t ld = matrix->operand.axes[0].stride;
  matrix->row = across ? 1 : ld, matrix->column = across ? ld : 1;
}

static wt_status make_product(wt_context *context, wt_grouped_plan *plan, wt_grouped_pointers pointers) {
  const wt_grouped_desc *d = &plan->desc;
  const bool forward = plan->pass == WT_GROUPED_FORWARD, weight = plan->pass == WT_GROUPED_BACKWARD_WEIGHT;
  const bool scaled = plan->scaling != WT_GROUPED_UNSCALED;
  wt_status status = scaled ? wt_grouped_make_scaled(context, plan, pointers.a, pointers.b)
                            : make_factors(context, plan, pointers.a, pointers.b);
  if (!status) status = make_result(context, plan, pointers.c);
  if (status) return status;
  plan->m = weight ? d->n : -1, plan->n = forward ? d->n : d->k;
  plan->k = weight ? -1 : forward ? d->k : d->n;
  lie(&plan->a, !scaled && weight), lie(&plan->b, !scaled && !forward), lie(&plan->c, false);
  return WT_SUCCESS;
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
  name_operands(plan);
  status = wt_grouped_check_scales(context, plan);
  if (!status) status = check_types(context, plan);
  if (!status) status = check_epilogue(context, d, pass);
  if (status) return status;

  const bool masked = d->contract == WT_GROUP_MASKED;
  plan->rows = masked ? d->groups * d->m : d->m;
  plan->expected = d->expected_rows ? d->expected_rows : masked ? d->m : wt_divide_up(d->m, d->groups);
  const int64_t places = d->contract == WT_GROUP_INDICES ? d->m : d->groups + !masked;
  plan->places = wt_operand_vector("rows", pointers.places, 4, 4, places);
  status = make_product(context, plan, pointers);
  return status ? status : wt_grouped_choose(context, plan);
}
