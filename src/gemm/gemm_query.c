// SPDX-License-Identifier: MIT
// Answers the queries about GEMM kernels: which there are, which one would run, and what memory it could use.
#include <string.h>

#include "choice.h"
#include "pack.h"
#include "pieces.h"

wt_status wt_gemm_chosen(wt_context *context, const wt_gemm_desc *desc, const char **name) {
  if (!name)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass the address of a string pointer");
  *name = NULL;
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_make(context, desc, NULL, NULL, NULL, &plan);
  if (!status) *name = plan.choice.kernel->stem;
  return status;
}

wt_status wt_gemm_piece_at(wt_context *context, const wt_gemm_desc *desc, size_t index,
                           wt_gemm_piece_info *info) {
  if (!info)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "info is NULL; pass the address of a wt_gemm_piece_info");
  if (info->struct_size != sizeof *info)
    return wt_fail(context, WT_ERROR_STRUCT_SIZE,
                   "info->struct_size is %zu; set it to sizeof(wt_gemm_piece_info), %zu", info->struct_size,
                   sizeof *info);
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_make(context, desc, NULL, NULL, NULL, &plan);
  if (status) return status;
  const int count = wt_piece_count(&plan);
  if (index >= (size_t)count)
    return wt_fail(context, WT_ERROR_VALUE, "index is %zu, but C has %d piece%s", index, count,
                   count == 1 ? "" : "s");
  const wt_gemm_plan product = wt_packed_plan(context, &plan);
  const wt_piece piece = wt_piece_at(&product, (int)index);
  *info = (wt_gemm_piece_info){.struct_size = sizeof *info,
                               .kernel = piece.plan.choice.kernel->stem,
                               .row = piece.row,
                               .column = piece.column,
                               .m = piece.plan.desc.m,
                               .n = piece.plan.desc.n,
                               .parts = piece.plan.choice.parts,
                               .count = count,
                               .packs_a = plan.a.packed,
                               .packs_b = plan.b.packed};
  return WT_SUCCESS;
}

wt_status wt_gemm_workspace_size(wt_context *context, const wt_gemm_desc *desc, size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  *bytes = 0;
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_check(context, desc, &plan);
  plan.workspace_most_bytes = UINT64_MAX;
  if (!status) status = wt_choose(context, &plan);
  if (status) return status;
  *bytes = wt_gemm_plan_workspace(context, &plan);
  return WT_SUCCESS;
}

size_t wt_gemm_kernel_count(void) { return wt_kernel_count; }

wt_status wt_gemm_kernel_at(size_t index, wt_gemm_kernel_info *info) {
  if (!info)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "info is NULL; pass the address of a wt_gemm_kernel_info");
  const size_t size = info->struct_size, older = offsetof(wt_gemm_kernel_info, tile_m);
  if (size != sizeof *info && size != older)
    return wt_fail(NULL, WT_ERROR_STRUCT_SIZE,
                   "info->struct_size is %zu; set it to sizeof(wt_gemm_kernel_info), %zu", size,
                   sizeof *info);
  if (index >= wt_kernel_count)
    return wt_fail(NULL, WT_ERROR_VALUE, "index is %zu, but there are %zu kernels", index, wt_kernel_count);
  const wt_kernel *kernel = &wt_kernels[index];
  const wt_gemm_kernel_info whole = {.struct_size = size,
                                     .name = kernel->stem,
                                     .idea = kernel->idea,
                                     .needs = wt_kernel_needs_text(kernel->needs),
                                     .tile_m = (int32_t)kernel->tile_m,
                                     .tile_n = (int32_t)kernel->tile_n,
                                     .threads = (int32_t)kernel->threads,
                                     .ladder = kernel->kind == WT_KERNEL_RUNG,
                                     .shares_rounds = kernel->kind == WT_KERNEL_STREAM};
  memcpy(info, &whole, size);
  return WT_SUCCESS;
}
