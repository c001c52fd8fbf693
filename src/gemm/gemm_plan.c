// SPDX-License-Identifier: MIT
// Checks a GEMM descriptor member by member and resolves its defaults.
#include "gemm_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "choice.h"
#include "core/types.h"

enum { MAX_DESC_SIZE = 4096 };  // no future version of the struct is larger; bounds the scan of its tail

// What struct_size was before the members from row_scale on were added.
static const size_t first_size = offsetof(wt_gemm_desc, row_scale);

// A struct of an older header lacks the newer members, which are then zero, their default. A struct of a
// newer one is accepted as long as what this version does not know is zero.
static wt_status copy_desc(wt_context *context, const wt_gemm_desc *desc, wt_gemm_desc *out) {
  size_t size = desc->struct_size;
  if (size != first_size && (size < sizeof *out || size > MAX_DESC_SIZE))
    return wt_fail(context, WT_ERROR_STRUCT_SIZE,
                   "desc->struct_size is %zu, but this library knows %zu and %zu; start from "
                   "WT_GEMM_DESC_INIT",
                   size, first_size, sizeof *out);
  const unsigned char *bytes = (const unsigned char *)desc;
  for (size_t i = sizeof *out; i < size; ++i)
    if (bytes[i])
      return wt_fail(
          context, WT_ERROR_STRUCT_SIZE,
          "desc->struct_size is %zu and byte %zu is not zero, but this library knows the first %zu bytes; "
          "leave newer members at zero or use a newer library",
          size, i, sizeof *out);
  memset(out, 0, sizeof *out);
  memcpy(out, desc, size < sizeof *out ? size : sizeof *out);
  out->struct_size = sizeof *out;
  return WT_SUCCESS;
}

static wt_status check_size(wt_context *context, const char *name, int64_t value) {
  if (value < 1 || value > INT32_MAX)
    return wt_fail(context, WT_ERROR_SIZE, "desc->%s is %" PRId64 "; pass a size from 1 to %d", name, value,
                   INT32_MAX);
  return WT_SUCCESS;
}

static wt_status check_flag(wt_context *context, const char *name, int32_t value) {
  if (value != 0 && value != 1)
    return wt_fail(context, WT_ERROR_VALUE, "desc->%s is %d; pass 0 or 1", name, value);
  return WT_SUCCESS;
}

static wt_status check_types(wt_context *context, const wt_gemm_desc *desc) {
  const wt_target *target = context->target;
  const char *kind = target->ocp ? "" : "_FNUZ";
  if (!wt_kernel_inputs(target, desc->type_a, desc->type_a))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_a is %s (%d), but GEMM inputs on %s are WT_TYPE_F8E4M3%s, WT_TYPE_F8E5M2%s, "
                   "WT_TYPE_BF16, WT_TYPE_F16 or WT_TYPE_I8",
                   wt_type_name(desc->type_a), (int)desc->type_a, target->name, kind, kind);
  if (!wt_kernel_inputs(target, desc->type_a, desc->type_b))
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_b is %s (%d), but with type_a %s it must be %s",
        wt_type_name(desc->type_b), (int)desc->type_b, wt_type_name(desc->type_a),
        wt_kernel_inputs(target, desc->type_a, desc->type_a) == WT_INPUT_F8 ? "an FP8 type of this device"
                                                                            : "the same");
  const bool integers = desc->type_a == WT_TYPE_I8;
  if (!wt_kernel_output_name(desc->type_c) || (desc->type_c == WT_TYPE_I32 && !integers))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_c is %s (%d), but with type_a %s the GEMM output is %sWT_TYPE_F32, "
                   "WT_TYPE_BF16 or WT_TYPE_F16",
                   wt_type_name(desc->type_c), (int)desc->type_c, wt_type_name(desc->type_a),
                   integers ? "WT_TYPE_I32, " : "");
  return WT_SUCCESS;
}

// Fills `operand` from the stored shape; ld 0 stands for packed rows.
static wt_status set_operand(wt_context *context, const wt_gemm_desc *desc, wt_operand *operand) {
  if (operand->ld == 0) operand->ld = operand->cols;
  if (operand->ld < operand->cols)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->ld%s is %" PRId64 ", but a stored row of it has %" PRId64
                   " elements; pass at least that, or 0 for packed rows",
                   operand->name, operand->ld, operand->cols);
  if (operand->stride < 0)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->stride_%s is %" PRId64 "; pass 0 or a positive number of elements", operand->name,
                   operand->stride);
  int64_t rows_span, batch_span, elements;
  uint64_t bytes;
  if (__builtin_mul_overflow(operand->rows - 1, operand->ld, &rows_span) ||
      __builtin_mul_overflow(desc->batch - 1, operand->stride, &batch_span) ||
      __builtin_add_overflow(rows_span, operand->cols, &elements) ||
      __builtin_add_overflow(elements, batch_span, &elements) ||
      __builtin_mul_overflow((uint64_t)elements, (uint64_t)operand->element, &bytes) || bytes > INT64_MAX)
    return wt_fail(context, WT_ERROR_SIZE,
                   "%s with ld%s %" PRId64 " and stride_%s %" PRId64
                   " spans more than 2^63 bytes; pass smaller ones",
                   operand->name, operand->name, operand->ld, operand->name, operand->stride);
  operand->bytes = bytes;
  return WT_SUCCESS;
}

// Outputs of a batch must be disjoint: one after the other, or side by side within the rows.
static wt_status check_output_stride(wt_context *context, const wt_gemm_desc *desc, const wt_operand *c) {
  if (desc->batch == 1) return WT_SUCCESS;
  int64_t one = (c->rows - 1) * c->ld + c->cols;
  bool one_after_other = c->stride >= one;
  bool side_by_side = c->stride >= c->cols && (desc->batch - 1) * c->stride + c->cols <= c->ld;
  if (one_after_other || side_by_side) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_STRIDE,
                 "desc->stride_c is %" PRId64 ", so the %" PRId64 " outputs overlap; pass at least %" PRId64,
                 c->stride, desc->batch, one);
}

static wt_status check_scalars(wt_context *context, const wt_gemm_plan *plan) {
  const wt_gemm_desc *d = &plan->desc;
  const struct {
    const char *name;
    float value;
  } scalars[] = {{"alpha", d->alpha},
                 {"beta", d->beta},
                 {"scale_a", d->scale_a},
                 {"scale_b", d->scale_b},
                 {"alpha * scale_a * scale_b", wt_gemm_plan_alpha(plan)}};
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i)
    if (!isfinite(scalars[i].value))
      return wt_fail(context, WT_ERROR_VALUE, "desc: %s is %g; pass finite numbers", scalars[i].name,
                     (double)scalars[i].value);
  if (d->activation < WT_ACTIVATION_NONE || d->activation > WT_ACTIVATION_SILU)
    return wt_fail(context, WT_ERROR_VALUE, "desc->activation is %d; pass a WT_ACTIVATION_* number",
                   (int)d->activation);
  if (d->split_k < 0 || d->split_k > WT_MAX_SPLIT)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->split_k is %d; pass 0 to have it chosen, 1 for none, or up to %d parts", d->split_k,
                   WT_MAX_SPLIT);
  return WT_SUCCESS;
}

// Into I32 all is exact, so there is nothing but the product and C, each times a whole number.
static wt_status check_integer_output(wt_context *context, const wt_gemm_desc *d) {
  const struct {
    const char *name;
    float value;
    bool factor;
  } scalars[] = {{"alpha", d->alpha, true},
                 {"beta", d->beta, true},
                 {"scale_a", d->scale_a, false},
                 {"scale_b", d->scale_b, false}};
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i) {
    const float x = scalars[i].value;
    if (scalars[i].factor ? x != truncf(x) || fabsf(x) > 0x1p24f : x != 1.0f)
      return wt_fail(context, WT_ERROR_VALUE, "desc->%s is %.9g, but with type_c WT_TYPE_I32 it must be %s",
                     scalars[i].name, (double)x,
                     scalars[i].factor ? "a whole number from -2^24 to 2^24" : "1");
  }
  const struct {
    const char *name;
    bool set;
  } members[] = {{"row_scale", d->row_scale != NULL},
                 {"column_scale", d->column_scale != NULL},
                 {"bias", d->bias != NULL},
                 {"activation", d->activation != WT_ACTIVATION_NONE}};
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
    if (members[i].set)
      return wt_fail(context, WT_ERROR_VALUE,
                     "desc->%s is set, but type_c is WT_TYPE_I32, which has none; leave it at 0, or have C "
                     "as WT_TYPE_F32",
                     members[i].name);
  return WT_SUCCESS;
}

float wt_gemm_plan_alpha(const wt_gemm_plan *plan) {
  return (float)((double)plan->desc.alpha * plan->desc.scale_a * plan->desc.scale_b);
}

int64_t wt_gemm_plan_sums_row(const wt_gemm_plan *plan) { return (plan->desc.n + 3) / 4 * 4; }

static wt_operand operand_of(const char *name, wt_type type, bool transposed, int64_t rows, int64_t cols,
                             int64_t ld, int64_t stride) {
  const size_t element = wt_type_size(type);
  return (wt_operand){.name = name,
                      .element = element,
                      .alignment = element,
                      .rows = transposed ? cols : rows,
                      .cols = transposed ? rows : cols,
                      .ld = ld,
                      .stride = stride};
}

wt_status wt_gemm_plan_check(wt_context *context, const wt_gemm_desc *desc, wt_gemm_plan *plan) {
  memset(plan, 0, sizeof *plan);
  if (!context)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "context is NULL; pass one made by wt_context_create");
  if (!desc)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "desc is NULL; pass the address of a wt_gemm_desc");
  wt_gemm_desc *d = &plan->desc;
  wt_status status = copy_desc(context, desc, d);
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"m", d->m}, {"n", d->n}, {"k", d->k}, {"batch", d->batch}};
  for (size_t i = 0; i < 4 && !status; ++i) status = check_size(context, sizes[i].name, sizes[i].value);
  if (!status) status = check_types(context, d);
  if (!status) status = check_flag(context, "trans_a", d->trans_a);
  if (!status) status = check_flag(context, "trans_b", d->trans_b);
  if (status) return status;

  plan->a = operand_of("a", d->type_a, d->trans_a, d->m, d->k, d->lda, d->stride_a);
  plan->b = operand_of("b", d->type_b, d->trans_b, d->n, d->k, d->ldb, d->stride_b);
  plan->c = operand_of("c", d->type_c, false, d->m, d->n, d->ldc, d->stride_c);
  status = set_operand(context, d, &plan->a);
  if (!status) status = set_operand(context, d, &plan->b);
  if (!status) status = set_operand(context, d, &plan->c);
  if (!status) status = check_output_stride(context, d, &plan->c);
  if (!status) status = check_scalars(context, plan);
  if (!status && d->type_c == WT_TYPE_I32) status = check_integer_output(context, d);
  return status;
}

wt_status wt_gemm_plan_make(wt_context *context, const wt_gemm_desc *desc, const void *a, const void *b,
                            wt_gemm_plan *plan) {
  wt_status status = wt_gemm_plan_check(context, desc, plan);
  plan->misaligned = ((uintptr_t)a | (uintptr_t)b) % 16;
  return status ? status : wt_choose(context, plan, false);
}
