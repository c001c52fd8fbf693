// SPDX-License-Identifier: MIT
// Checks a GEMM descriptor member by member and resolves its defaults.
#include "gemm_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "types.h"

enum { MAX_DESC_SIZE = 4096 };  // no future version of the struct is larger; bounds the scan of its tail

// A struct of a newer header is accepted as long as what this version does not know is zero, that is,
// default.
static wt_status copy_desc(wt_context *context, const wt_gemm_desc *desc, wt_gemm_desc *out) {
  size_t size = desc->struct_size;
  if (size < sizeof *out || size > MAX_DESC_SIZE)
    return wt_fail(context, WT_ERROR_STRUCT_SIZE,
                   "desc->struct_size is %zu, but this library knows %zu; start from WT_GEMM_DESC_INIT", size,
                   sizeof *out);
  const unsigned char *bytes = (const unsigned char *)desc;
  for (size_t i = sizeof *out; i < size; ++i)
    if (bytes[i])
      return wt_fail(
          context, WT_ERROR_STRUCT_SIZE,
          "desc->struct_size is %zu and byte %zu is not zero, but this library knows the first %zu bytes; "
          "leave newer members at zero or use a newer library",
          size, i, sizeof *out);
  *out = *desc;
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

static wt_status check_finite(wt_context *context, const char *name, float value) {
  if (!isfinite(value))
    return wt_fail(context, WT_ERROR_VALUE, "desc: %s is %g; pass finite numbers", name, (double)value);
  return WT_SUCCESS;
}

static wt_status check_types(wt_context *context, const wt_gemm_desc *desc) {
  const char *target = context->target;
  if (!wt_kernel_input_name(target, desc->type_a)) {
    bool ocp = strcmp(target, "gfx950") == 0;
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_a is %s (%d), but GEMM inputs on %s are WT_TYPE_F8E4M3%s or WT_TYPE_F8E5M2%s",
                   wt_type_name(desc->type_a), (int)desc->type_a, target, ocp ? "" : "_FNUZ",
                   ocp ? "" : "_FNUZ");
  }
  if (desc->type_b != desc->type_a)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_b is %s (%d), but must be the type of A, which is %s",
                   wt_type_name(desc->type_b), (int)desc->type_b, wt_type_name(desc->type_a));
  if (!wt_kernel_output_name(desc->type_c))
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_c is %s (%d), but the GEMM output is WT_TYPE_BF16 or WT_TYPE_F32",
                   wt_type_name(desc->type_c), (int)desc->type_c);
  return WT_SUCCESS;
}

// Fills `operand` from the stored shape; ld 0 stands for packed rows.
static wt_status set_operand(wt_context *context, const wt_gemm_desc *desc, wt_operand *operand) {
  if (operand->ld == 0) operand->ld = operand->cols;
  if (operand->ld < operand->cols)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->ld%c is %" PRId64 ", but a stored row of %c has %" PRId64
                   " elements; pass at least that, or 0 for packed rows",
                   operand->name, operand->ld, operand->name - 'a' + 'A', operand->cols);
  if (operand->stride < 0)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->stride_%c is %" PRId64 "; pass 0 or a positive number of elements", operand->name,
                   operand->stride);
  int64_t rows_span, batch_span, elements;
  uint64_t bytes;
  if (__builtin_mul_overflow(operand->rows - 1, operand->ld, &rows_span) ||
      __builtin_mul_overflow(desc->batch - 1, operand->stride, &batch_span) ||
      __builtin_add_overflow(rows_span, operand->cols, &elements) ||
      __builtin_add_overflow(elements, batch_span, &elements) ||
      __builtin_mul_overflow((uint64_t)elements, (uint64_t)operand->element, &bytes) || bytes > INT64_MAX)
    return wt_fail(context, WT_ERROR_SIZE,
                   "%c with ld%c %" PRId64 " and stride_%c %" PRId64
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

// NULL when the kernel can run the descriptor, else what it needs.
static const char *kernel_refusal(const wt_kernel *kernel, const wt_gemm_desc *desc) {
  return kernel->k_contiguous && (desc->trans_a || desc->trans_b) ? kernel->needs : NULL;
}

static wt_status choose_kernel(wt_context *context, const wt_gemm_desc *desc, const wt_kernel **out) {
  if (!desc->kernel) {
    for (size_t i = wt_kernel_count; i-- > 0;)
      if (!kernel_refusal(&wt_kernels[i], desc)) {
        *out = &wt_kernels[i];
        return WT_SUCCESS;
      }
  }
  *out = desc->kernel ? wt_kernel_find(desc->kernel) : NULL;
  if (!*out)
    return wt_fail(
        context, WT_ERROR_UNKNOWN_KERNEL,
        "desc->kernel is \"%.64s\", which is not a kernel; pass a name from wt_gemm_kernel_at, or NULL",
        desc->kernel);
  const char *needs = kernel_refusal(*out, desc);
  if (needs)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_KERNEL,
                   "desc->kernel is %s, which needs %s, but trans_a is %d and trans_b is %d; pass NULL to "
                   "have one chosen",
                   (*out)->stem, needs, desc->trans_a, desc->trans_b);
  return WT_SUCCESS;
}

// A launch counts the work-items of each dimension in 32 bits (HSA AQL kernel dispatch packet, grid_size_x).
static wt_status check_grid(wt_context *context, const wt_gemm_plan *plan) {
  uint64_t groups = ((uint64_t)plan->desc.n + plan->kernel->tile_n - 1) / plan->kernel->tile_n;
  if (groups * plan->kernel->threads > UINT32_MAX)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->n is %" PRId64 ", more than one launch of %s covers; pass at most %" PRIu64,
                   plan->desc.n, plan->kernel->stem,
                   (uint64_t)UINT32_MAX / plan->kernel->threads * plan->kernel->tile_n);
  return WT_SUCCESS;
}

float wt_gemm_plan_alpha(const wt_gemm_plan *plan) {
  return (float)((double)plan->desc.alpha * plan->desc.scale_a * plan->desc.scale_b);
}

wt_status wt_gemm_plan_make(wt_context *context, const wt_gemm_desc *desc, wt_gemm_plan *plan) {
  if (!context)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "context is NULL; pass one made by wt_context_create");
  if (!desc)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "desc is NULL; pass the address of a wt_gemm_desc");
  memset(plan, 0, sizeof *plan);
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

  plan->a =
      (wt_operand){.name = 'a', .ld = d->lda, .stride = d->stride_a, .element = wt_type_size(d->type_a)};
  plan->a.rows = d->trans_a ? d->k : d->m;
  plan->a.cols = d->trans_a ? d->m : d->k;
  plan->b =
      (wt_operand){.name = 'b', .ld = d->ldb, .stride = d->stride_b, .element = wt_type_size(d->type_b)};
  plan->b.rows = d->trans_b ? d->k : d->n;
  plan->b.cols = d->trans_b ? d->n : d->k;
  plan->c =
      (wt_operand){.name = 'c', .ld = d->ldc, .stride = d->stride_c, .element = wt_type_size(d->type_c)};
  plan->c.rows = d->m;
  plan->c.cols = d->n;
  status = set_operand(context, d, &plan->a);
  if (!status) status = set_operand(context, d, &plan->b);
  if (!status) status = set_operand(context, d, &plan->c);
  if (!status) status = check_output_stride(context, d, &plan->c);

  const struct {
    const char *name;
    float value;
  } scalars[] = {{"alpha", d->alpha}, {"beta", d->beta}, {"scale_a", d->scale_a}, {"scale_b", d->scale_b}};
  for (size_t i = 0; i < 4 && !status; ++i) status = check_finite(context, scalars[i].name, scalars[i].value);
  if (!status) status = check_finite(context, "alpha * scale_a * scale_b", wt_gemm_plan_alpha(plan));
  if (!status) status = choose_kernel(context, d, &plan->kernel);
  if (!status) status = check_grid(context, plan);
  return status;
}
