// SPDX-License-Identifier: MIT
// Checks a grouped descriptor member by member, and makes the product of a group of it.
#include "grouped_plan.h"

#include <inttypes.h>
#include <string.h>

#include "core/blocks.h"
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
  } members[] = {{"bias", d->bias != NULL}, {"activation", d->activation != WT_ACTIVATION_NONE}};
  for (size_t i = 0; i < sizeof members / sizeof *members && pass != WT_GROUPED_FORWARD; ++i)
    if (members[i].set)
      return wt_fail(
          context, WT_ERROR_VALUE,
          "desc->%s is set, but the gradient is that of the scaled sums; leave it at 0, and apply it to dy",
          members[i].name);
  return WT_SUCCESS;
}

wt_grouped_shape wt_grouped_shape_of(const wt_grouped_plan *plan) {
  const wt_grouped_desc *d = &plan->desc;
  const int64_t rows = plan->rows, n = d->n, k = d->k;
  const bool scaled = plan->scaling != WT_GROUPED_UNSCALED;
  switch (plan->pass) {
    case WT_GROUPED_FORWARD: return (wt_grouped_shape){{rows, k}, {n, k}, d->groups};
    case WT_GROUPED_BACKWARD_INPUT:
      if (scaled) return (wt_grouped_shape){{rows, n}, {k, n}, d->groups};
      return (wt_grouped_shape){{rows, n}, {n, k}, d->groups};
    case WT_GROUPED_BACKWARD_WEIGHT: break;
  }
  if (scaled) return (wt_grouped_shape){{n, rows}, {k, rows}, 1};
  return (wt_grouped_shape){{rows, n}, {rows, k}, 1};
}

// Makes an operand; the result has no scales.
static wt_status make_matrix(wt_context *context, const wt_grouped_plan *plan, const void *pointer,
                             wt_grouped_size size, bool is_result, wt_grouped_matrix *out) {
  const wt_grouped_member *of = &out->member;
  if (plan->scaling == WT_GROUPED_E8M0 && !is_result)
    return wt_grouped_packed_matrix(context, of, pointer, size, &out->operand);
  return wt_row_matrix(context, of->name, pointer, of->type, size.rows, size.columns, of->ld_name, of->ld,
                       is_result, &out->operand);
}

// Does so for the matrices of all groups.
static wt_status make_weights(wt_context *context, const wt_grouped_plan *plan, const void *pointer,
                              wt_grouped_size size, bool is_result, wt_grouped_matrix *out) {
  const wt_grouped_desc *d = &plan->desc;
  const wt_grouped_size together = {d->groups * size.rows, size.columns};
  const wt_status status = make_matrix(context, plan, pointer, d->w_group ? size : together, is_result, out);
  if (status) return status;
  out->group = size.rows * out->operand.axes[0].stride;
  if (!d->w_group) return WT_SUCCESS;
  out->group = d->w_group;
  if (plan->scaling == WT_GROUPED_E8M0 && !is_result) {
    if (d->w_group % WT_BLOCK_ELEMENTS)
      return wt_fail(context, WT_ERROR_STRIDE,
                     "desc->w_group is %" PRId64
                     "; in an MX format pass a multiple of %d, or 0 for groups "
                     "without gaps",
                     d->w_group, WT_BLOCK_ELEMENTS);
    out->group = d->w_group / WT_BLOCK_ELEMENTS * wt_block_format_of(out->member.type)->bytes;
  }
  return wt_operand_batch(context, &out->operand, d->groups, "w_group", out->group);
}

static wt_status make_result(wt_context *context, wt_grouped_plan *plan, const void *pointer) {
  const wt_grouped_desc *d = &plan->desc;
  const bool forward = plan->pass == WT_GROUPED_FORWARD;
  if (plan->pass == WT_GROUPED_BACKWARD_WEIGHT)
    return make_weights(context, plan, pointer, (wt_grouped_size){d->n, d->k}, true, &plan->c);
  const wt_grouped_size size = {plan->rows, forward ? d->n : d->k};
  const wt_status status = make_matrix(context, plan, pointer, size, true, &plan->c);
  plan->c.token = plan->c.operand.axes[0].stride;
  return status;
}

// Returns how many elements of an operand from tokens lie from those that share a scale to the next ones.
static int64_t block_of(const wt_grouped_plan *plan, const wt_grouped_matrix *matrix) {
  return plan->scaling == WT_GROUPED_E8M0 ? wt_block_a_format_of(matrix->member.type)->bytes
                                          : WT_F32_BLOCK_ELEMENTS;
}

static wt_status make_factors(wt_context *context, wt_grouped_plan *plan, const void *a, const void *b) {
  const wt_grouped_shape shape = wt_grouped_shape_of(plan);
  const bool scaled = plan->scaling != WT_GROUPED_UNSCALED;
  wt_status status = make_matrix(context, plan, a, shape.a, false, &plan->a);
  if (!status && plan->pass != WT_GROUPED_BACKWARD_WEIGHT) {
    plan->a.token = plan->a.operand.axes[0].stride;
    return make_weights(context, plan, b, shape.b, false, &plan->b);
  }
  if (!status) status = make_matrix(context, plan, b, shape.b, false, &plan->b);
  if (status) return status;
  plan->a.token = scaled ? block_of(plan, &plan->a) : plan->a.operand.axes[0].stride;
  plan->b.token = scaled ? block_of(plan, &plan->b) : plan->b.operand.axes[0].stride;
  return WT_SUCCESS;
}

// Lays rows of a matrix along the product's rows, or along its columns.
static void lie(wt_grouped_matrix *matrix, bool across) {
  const int64_t ld = matrix->operand.axes[0].stride;
  matrix->row = across ? 1 : ld, matrix->column = across ? ld : 1;
}

static wt_status make_product(wt_context *context, wt_grouped_plan *plan, wt_grouped_pointers pointers) {
  const wt_grouped_desc *d = &plan->desc;
  const bool forward = plan->pass == WT_GROUPED_FORWARD, weight = plan->pass == WT_GROUPED_BACKWARD_WEIGHT;
  const bool scaled = plan->scaling != WT_GROUPED_UNSCALED;
  wt_status status = make_factors(context, plan, pointers.a, pointers.b);
  if (!status && scaled) status = wt_grouped_make_scales(context, plan);
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
