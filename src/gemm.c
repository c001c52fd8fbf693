// SPDX-License-Identifier: MIT
// wt_gemm: check, then launch the chosen kernel; and the queries about kernels.
#include <stdio.h>

#include "gemm_plan.h"
#include "kernels/gemm_args.h"

static wt_gemm_args kernel_args(const wt_gemm_plan *plan, const void *a, const void *b, void *c) {
  const wt_gemm_desc *d = &plan->desc;
  return (wt_gemm_args){
      .a = a,
      .b = b,
      .c = c,
      .m = (int)d->m,
      .n = (int)d->n,
      .k = (int)d->k,
      .alpha = wt_gemm_plan_alpha(plan),
      .beta = d->beta,
      .a_row = d->trans_a ? 1 : plan->a.ld,
      .a_col = d->trans_a ? plan->a.ld : 1,
      .b_row = d->trans_b ? 1 : plan->b.ld,
      .b_col = d->trans_b ? plan->b.ld : 1,
      .c_row = plan->c.ld,
      .a_batch = plan->a.stride,
      .b_batch = plan->b.stride,
      .c_batch = plan->c.stride,
  };
}

static unsigned tiles(int64_t size, unsigned tile) { return (unsigned)((size + tile - 1) / tile); }

// A work-group's id in y and z has 16 bits (LLVM AMDGPUUsage, trap temporary registers), so what has more
// tiles or batches than that takes several launches.
enum { MAX_GROUPS_YZ = 65535 };

static int64_t at_most(int64_t value, int64_t limit) { return value < limit ? value : limit; }

static hipError_t launch_slice(const wt_gemm_plan *plan, hipFunction_t function, wt_gemm_args args,
                               int64_t batch, int64_t m, hipStream_t stream) {
  const wt_kernel *kernel = plan->kernel;
  unsigned batches = (unsigned)at_most(plan->desc.batch - batch, MAX_GROUPS_YZ);
  args.m = (int)at_most(plan->desc.m - m, (int64_t)MAX_GROUPS_YZ * kernel->tile_m);
  args.a = (const char *)args.a + (batch * args.a_batch + m * args.a_row) * (int64_t)plan->a.element;
  args.b = (const char *)args.b + batch * args.b_batch * (int64_t)plan->b.element;
  args.c = (char *)args.c + (batch * args.c_batch + m * args.c_row) * (int64_t)plan->c.element;
  void *params[] = {&args};
  return hipModuleLaunchKernel(function, tiles(plan->desc.n, kernel->tile_n), tiles(args.m, kernel->tile_m),
                               batches, kernel->threads, 1, 1, 0, stream, params, NULL);
}

static wt_status launch(wt_context *context, const wt_gemm_plan *plan, const void *a, const void *b, void *c,
                        hipStream_t stream) {
  const wt_kernel *kernel = plan->kernel;
  char name[128];
  snprintf(name, sizeof name, "%s_%s_%s", kernel->stem,
           wt_kernel_input_name(context->target, plan->desc.type_a),
           wt_kernel_output_name(plan->desc.type_c));
  hipFunction_t function;
  wt_status status = wt_context_function(context, kernel->stem, name, &function);
  if (status) return status;
  wt_gemm_args args = kernel_args(plan, a, b, c);
  int64_t m_step = (int64_t)MAX_GROUPS_YZ * kernel->tile_m;
  for (int64_t batch = 0; batch < plan->desc.batch; batch += MAX_GROUPS_YZ)
    for (int64_t m = 0; m < plan->desc.m; m += m_step) {
      hipError_t error = launch_slice(plan, function, args, batch, m, stream);
      if (error != hipSuccess)
        return wt_fail(context, WT_ERROR_DEVICE, "launching %s on device %d failed: %s", name,
                       context->device, hipGetErrorString(error));
    }
  return WT_SUCCESS;
}

wt_status wt_gemm(wt_context *context, const wt_gemm_desc *desc, const void *a, const void *b, void *c,
                  struct ihipStream_t *stream) {
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_make(context, desc, &plan);
  if (status) return status;
  int previous = 0;
  hipError_t error = hipGetDevice(&previous);
  if (error == hipSuccess) error = hipSetDevice(context->device);
  if (error != hipSuccess)
    return wt_fail(context, WT_ERROR_DEVICE, "selecting device %d failed: %s", context->device,
                   hipGetErrorString(error));
  status = wt_gemm_plan_check_memory(context, &plan, a, b, c);
  if (!status) status = launch(context, &plan, a, b, c, stream);
  (void)hipSetDevice(previous);
  return status;
}

wt_status wt_gemm_chosen(wt_context *context, const wt_gemm_desc *desc, const char **name) {
  if (!name)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass the address of a string pointer");
  *name = NULL;
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_make(context, desc, &plan);
  if (!status) *name = plan.kernel->stem;
  return status;
}

size_t wt_gemm_kernel_count(void) { return wt_kernel_count; }

wt_status wt_gemm_kernel_at(size_t index, wt_gemm_kernel_info *info) {
  if (!info)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "info is NULL; pass the address of a wt_gemm_kernel_info");
  if (info->struct_size != sizeof *info)
    return wt_fail(NULL, WT_ERROR_STRUCT_SIZE,
                   "info->struct_size is %zu; set it to sizeof(wt_gemm_kernel_info), %zu", info->struct_size,
                   sizeof *info);
  if (index >= wt_kernel_count)
    return wt_fail(NULL, WT_ERROR_VALUE, "index is %zu, but there are %zu kernels", index, wt_kernel_count);
  info->name = wt_kernels[index].stem;
  info->idea = wt_kernels[index].idea;
  info->needs = wt_kernels[index].needs;
  return WT_SUCCESS;
}
