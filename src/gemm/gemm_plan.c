// SPDX-License-Identifier: MIT
// Checks a GEMM descriptor member by member and resolves its defaults.
#include "gemm_plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "choice.h"
#include "core/desc.h"
#include "core/types.h"
#include "core/workspace.h"
#include "cut.h"
#include "pack.h"

static const size_t older[] = {offsetof(wt_gemm_desc, row_scale), offsetof(wt_gemm_desc, grid_window),
                               offsetof(wt_gemm_desc, batch_invariant), 0};
static const wt_desc_layout layout = {
    .type = "wt_gemm_desc", .init = "WT_GEMM_DESC_INIT", .size = sizeof(wt_gemm_desc), .older = older};

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
        wt_kernel_inputs(target, desc->type_a, desc->type_a) & WT_INPUT_F8 ? "an FP8 type of this device"
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

wt_operand wt_gemm_operand(const wt_gemm_plan *plan, const wt_gemm_matrix *matrix, const void *pointer) {
  return (wt_operand){
      .name = matrix->name,
      .pointer = pointer,
      .element_bytes = matrix->element_bytes,
      .alignment = matrix->element_bytes,
      .axes = {{plan->desc.batch, matrix->stride}, {matrix->rows, matrix->ld}, {matrix->cols, 1}},
      .bytes = matrix->bytes};
}

// Fills `matrix` from the stored shape; ld 0 stands for packed rows.
static wt_status set_matrix(wt_context *context, const wt_gemm_plan *plan, wt_gemm_matrix *matrix) {
  if (matrix->ld == 0) matrix->ld = matrix->cols;
  if (matrix->ld < matrix->cols)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->ld%s is %" PRId64 ", but a stored row of it has %" PRId64
                   " elements; pass at least that, or 0 for packed rows",
                   matrix->name, matrix->ld, matrix->cols);
  if (matrix->stride < 0)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->stride_%s is %" PRId64 "; pass 0 or a positive number of elements", matrix->name,
                   matrix->stride);
  wt_operand operand = wt_gemm_operand(plan, matrix, NULL);
  if (!wt_operand_span(&operand))
    return wt_fail(context, WT_ERROR_SIZE,
                   "%s with ld%s %" PRId64 " and stride_%s %" PRId64
                   " spans more than 2^63 bytes; pass smaller ones",
                   matrix->name, matrix->name, matrix->ld, matrix->name, matrix->stride);
  matrix->bytes = operand.bytes;
  return WT_SUCCESS;
}

// Outputs of a batch must be disjoint: one after the other, or side by side within the rows.
static wt_status check_output_stride(wt_context *context, const wt_gemm_plan *plan) {
  const wt_operand c = wt_gemm_operand(plan, &plan->c, NULL);
  if (wt_operand_is_injective(&c)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_STRIDE,
                 "desc->stride_c is %" PRId64 ", so the %" PRId64 " outputs overlap; pass at least %" PRId64,
                 plan->c.stride, plan->desc.batch, (plan->c.rows - 1) * plan->c.ld + plan->c.cols);
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
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i) {
    const wt_status status = wt_check_finite(context, scalars[i].name, scalars[i].value);
    if (status) return status;
  }
  wt_status status = wt_check_activation(context, d->activation);
  if (!status) status = wt_cut_check_split(context, d->split_k);
  if (status) return status;
  if (d->grid_window < 0 || d->grid_chunk < 0)
    return wt_fail(
        context, WT_ERROR_VALUE, "desc->grid_%s is %d; pass a positive number, or 0 for the kernel's own",
        d->grid_window < 0 ? "window" : "chunk", d->grid_window < 0 ? d->grid_window : d->grid_chunk);
  if (d->reserved)
    return wt_fail(context, WT_ERROR_VALUE, "desc->reserved is %d; leave it at 0", d->reserved);
  return wt_check_flag(context, "batch_invariant", d->batch_invariant);
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

int64_t wt_gemm_plan_step(const wt_context *context, const wt_gemm_plan *plan) {
  return context->target->step_bytes / (int64_t)plan->a.element_bytes;
}

uint64_t wt_gemm_plan_workspace(const wt_context *context, const wt_gemm_plan *plan) {
  const uint64_t first = plan->choice.workspace_bytes, second = plan->cut.choice.workspace_bytes;
  return wt_packed_bytes(context, plan, &plan->a) + wt_packed_bytes(context, plan, &plan->b) +
         (first > second ? first : second);
}

bool wt_gemm_rows_begin_lines(const wt_gemm_matrix *matrix) {
  return matrix->misaligned == 0 && matrix->ld * (int64_t)matrix->element_bytes % WT_LINE == 0;
}

int64_t wt_gemm_sums_row(int64_t n) { return (n + 3) / 4 * 4; }

static wt_gemm_matrix matrix_of(const char *name, wt_type type, bool transposed, int64_t rows, int64_t cols,
                                int64_t ld, int64_t stride) {
  const size_t element_bytes = wt_type_size(type);
  return (wt_gemm_matrix){.name = name,
                          .element_bytes = element_bytes,
                          .transposed = transposed,
                          .rows = transposed ? cols : rows,
                          .cols = transposed ? rows : cols,
                          .ld = ld,
                          .stride = stride};
}

wt_status wt_gemm_plan_check(wt_context *context, const wt_gemm_desc *desc, wt_gemm_plan *plan) {
  memset(plan, 0, sizeof *plan);
  wt_gemm_desc *d = &plan->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"m", d->m}, {"n", d->n}, {"k", d->k}, {"batch", d->batch}};
  for (size_t i = 0; i < 4 && !status; ++i) status = wt_check_size(context, sizes[i].name, sizes[i].value);
  if (!status) status = check_types(context, d);
  if (!status) status = wt_check_flag(context, "trans_a", d->trans_a);
  if (!status) status = wt_check_flag(context, "trans_b", d->trans_b);
  if (status) return status;

  plan->a = matrix_of("a", d->type_a, d->trans_a, d->m, d->k, d->lda, d->stride_a);
  plan->b = matrix_of("b", d->type_b, d->trans_b, d->n, d->k, d->ldb, d->stride_b);
  plan->c = matrix_of("c", d->type_c, false, d->m, d->n, d->ldc, d->stride_c);
  status = set_matrix(context, plan, &plan->a);
  if (!status) status = set_matrix(context, plan, &plan->b);
  if (!status) status = set_matrix(context, plan, &plan->c);
  if (!status) status = check_output_stride(context, plan);
  if (!status) status = check_scalars(context, plan);
  if (!status && d->type_c == WT_TYPE_I32) status = check_integer_output(context, d);
  plan->grain = WT_SPLIT_GRAIN;
  plan->workspace_most_bytes = d->workspace ? d->workspace_bytes : wt_workspace_most_bytes(context);
  return status;
}

wt_status wt_gemm_plan_make(wt_context *context, const wt_gemm_desc *desc, const void *a, const void *b,
                            const void *c, wt_gemm_plan *plan) {
  wt_status status = wt_gemm_plan_check(context, desc, plan);
  plan->a.misaligned = (uintptr_t)a % 16, plan->b.misaligned = (uintptr_t)b % 16;
  plan->c.misaligned = (uintptr_t)c % 16;
  return status ? status : wt_choose(context, plan);
}
