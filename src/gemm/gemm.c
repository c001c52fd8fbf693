// SPDX-License-Identifier: MIT
// wt_gemm: check, then launch the chosen kernel, and the reduction when K is split.
#include <stdio.h>

#include "choice.h"
#include "core/types.h"
#include "gemm_plan.h"
#include "kernels/gemm/gemm_args.h"

typedef enum grid_kind { GRID_RUNG, GRID_LIBRARY, GRID_REDUCTION } grid_kind;

// One kernel over all of C and of the batch; it may take several launches.
typedef struct step {
  grid_kind grid;
  const char *stem;
  char symbol[96];
  hipFunction_t function;
  wt_gemm_args args;
  size_t a_element, b_element, c_element;
  unsigned tile_m, tile_n, threads;
  int64_t rows;  // of C that a launch can take
} step;

// A work-group's id in y and z has 16 bits (LLVM AMDGPUUsage, trap temporary registers), and the work-items
// of x are counted in 32 (HSA AQL kernel dispatch packet, grid_size_x).
enum { MAX_GROUPS_YZ = 65535 };

enum {
  REDUCTION_THREADS = 256,
  REDUCTION_COLUMNS = 4
};  // kernels/gemm/gemm_reduce.hip: per work-group, per thread

static int64_t at_most(int64_t value, int64_t limit) { return value < limit ? value : limit; }

static int64_t divide_up(int64_t a, int64_t b) { return (a - 1) / b + 1; }

// With everything that the last kernel does to C.
static wt_gemm_args whole_args(const wt_gemm_plan *plan, const void *a, const void *b, void *c) {
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
      .order = {.tiles_m = (int)plan->choice.tiles_m,
                .tiles_n = (int)plan->choice.tiles_n,
                .xcds = WT_XCDS,
                .chunk = plan->choice.kernel->chunk,
                .window = plan->choice.kernel->window},
      .type_c = (int)d->type_c,
      .activation = (int)d->activation,
      .row_scale = d->row_scale,
      .column_scale = d->column_scale,
      .bias = d->bias,
      .k_part = (int)plan->choice.k_part,
  };
}

// The product: into C, or the sums of the parts of K into the workspace.
static step product_step(const wt_context *context, const wt_gemm_plan *plan, wt_gemm_args args) {
  const wt_kernel *kernel = plan->choice.kernel;
  const wt_gemm_desc *d = &plan->desc;
  const bool rung = kernel->kind == WT_KERNEL_RUNG;
  step s = {.grid = rung ? GRID_RUNG : GRID_LIBRARY,
            .stem = kernel->stem,
            .args = args,
            .a_element = plan->a.element,
            .b_element = plan->b.element,
            .c_element = plan->c.element,
            .tile_m = kernel->tile_m,
            .tile_n = kernel->tile_n,
            .threads = kernel->threads};
  const int64_t most_tiles = (int64_t)UINT32_MAX / kernel->threads / plan->choice.tiles_n;
  s.rows = (rung ? MAX_GROUPS_YZ : most_tiles) * kernel->tile_m;
  snprintf(s.symbol, sizeof s.symbol, "%s_%s_%s", kernel->stem,
           wt_kernel_input_name(context->target, d->type_a),
           rung ? wt_kernel_output_name(d->type_c) : wt_kernel_input_name(context->target, d->type_b));
  if (plan->choice.parts == 1) return s;
  s.c_element = 4;
  s.args.c = d->workspace;
  s.args.c_row = wt_gemm_plan_sums_row(plan);
  s.args.c_batch = d->m * s.args.c_row;
  s.args.c_part = d->batch * s.args.c_batch;
  s.args.type_c = d->type_a == WT_TYPE_I8 ? WT_TYPE_I32 : WT_TYPE_F32;
  s.args.alpha = 1, s.args.beta = 0, s.args.activation = WT_ACTIVATION_NONE;
  s.args.row_scale = s.args.column_scale = s.args.bias = NULL;
  return s;
}

// The sums of the parts, and everything else there is to do, into C.
static step reduction_step(const wt_gemm_plan *plan, wt_gemm_args args) {
  const wt_gemm_desc *d = &plan->desc;
  const int64_t row = wt_gemm_plan_sums_row(plan);
  step s = {.grid = GRID_REDUCTION,
            .stem = "gemm_reduce",
            .args = args,
            .a_element = 4,
            .c_element = plan->c.element,
            .threads = REDUCTION_THREADS,
            .rows = (int64_t)UINT32_MAX / (row + REDUCTION_COLUMNS * REDUCTION_THREADS)};
  s.args.a = d->workspace;
  s.args.a_row = row;
  s.args.a_batch = d->m * row;
  s.args.c_part = d->batch * s.args.a_batch;
  snprintf(s.symbol, sizeof s.symbol, "gemm_reduce_%s", d->type_a == WT_TYPE_I8 ? "i32" : "f32");
  return s;
}

// The part of a step from `batch` and row `m` on that one launch can take.
static hipError_t launch_slice(const wt_gemm_plan *plan, const step *s, int64_t batch, int64_t m,
                               hipStream_t stream) {
  wt_gemm_args args = s->args;
  unsigned x = 1, y = 1, z = (unsigned)at_most(plan->desc.batch - batch, MAX_GROUPS_YZ);
  args.m = (int)at_most(plan->desc.m - m, s->rows);
  args.a = (const char *)args.a + (batch * args.a_batch + m * args.a_row) * (int64_t)s->a_element;
  args.b = (const char *)args.b + batch * args.b_batch * (int64_t)s->b_element;
  args.c = (char *)args.c + (batch * args.c_batch + m * args.c_row) * (int64_t)s->c_element;
  if (args.row_scale) args.row_scale += m;
  if (s->grid == GRID_REDUCTION) {
    x = (unsigned)divide_up(args.m * (args.a_row / REDUCTION_COLUMNS), REDUCTION_THREADS);
  } else {
    args.order.tiles_m = (int)divide_up(args.m, s->tile_m);
    x = (unsigned)args.order.tiles_n;
    if (s->grid == GRID_RUNG)
      y = (unsigned)args.order.tiles_m;
    else
      x *= (unsigned)args.order.tiles_m, y = (unsigned)plan->choice.parts;
  }
  void *params[] = {&args};
  return hipModuleLaunchKernel(s->function, x, y, z, s->threads, 1, 1, 0, stream, params, NULL);
}

static wt_status launch(wt_context *context, const wt_gemm_plan *plan, const step *s, hipStream_t stream) {
  for (int64_t batch = 0; batch < plan->desc.batch; batch += MAX_GROUPS_YZ)
    for (int64_t m = 0; m < plan->desc.m; m += s->rows) {
      hipError_t error = launch_slice(plan, s, batch, m, stream);
      if (error != hipSuccess)
        return wt_fail(context, WT_ERROR_DEVICE, "launching %s on device %d failed: %s", s->symbol,
                       context->device, hipGetErrorString(error));
    }
  return WT_SUCCESS;
}

static wt_status launch_all(wt_context *context, const wt_gemm_plan *plan, const void *a, const void *b,
                            void *c, hipStream_t stream) {
  const wt_gemm_args args = whole_args(plan, a, b, c);
  step steps[2] = {product_step(context, plan, args)};
  const int count = plan->choice.parts > 1 ? 2 : 1;
  if (count == 2) steps[1] = reduction_step(plan, args);
  wt_status status = WT_SUCCESS;
  for (int i = 0; i < count && !status; ++i)
    status = wt_context_function(context, steps[i].stem, steps[i].symbol, &steps[i].function);
  for (int i = 0; i < count && !status; ++i) status = launch(context, plan, &steps[i], stream);
  return status;
}

wt_status wt_gemm(wt_context *context, const wt_gemm_desc *desc, const void *a, const void *b, void *c,
                  struct ihipStream_t *stream) {
  wt_gemm_plan plan;
  wt_status status = wt_gemm_plan_make(context, desc, a, b, &plan);
  if (status) return status;
  int previous = 0;
  hipError_t error = hipGetDevice(&previous);
  if (error == hipSuccess) error = hipSetDevice(context->device);
  if (error != hipSuccess)
    return wt_fail(context, WT_ERROR_DEVICE, "selecting device %d failed: %s", context->device,
                   hipGetErrorString(error));
  status = wt_gemm_plan_check_memory(context, &plan, a, b, c);
  if (!status) status = launch_all(context, &plan, a, b, c, stream);
  (void)hipSetDevice(previous);
  return status;
}
