// SPDX-License-Identifier: MIT
// wt_gemm_block: check, choose the kernel, launch.
#include "kernels/gemm_block/gemm_block_args.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/launch.h"
#include "core/rows.h"
#include "core/tile_order.h"
#include "core/types.h"

typedef struct block_kernel {
  const char *name;         // of its file and its symbol
  wt_scales_of_b of_b;      // what has a scale of its own in B
  unsigned tile_m, tile_n;  // rows and columns of C per work-group
  unsigned threads;         // of a work-group
  double efficiency;        // percent of the matrix cores' rate that the K loop reaches
} block_kernel;

static const block_kernel kernels[] = {
#define OF_B_tiles WT_SCALES_OF_B_TILES
#define OF_B_rows WT_SCALES_OF_B_ROWS
#define GEMM_BLOCK_INSTANCE(name, type, of_b, tile_m, tile_n, waves, shared_gfx942, shared_gfx950, \
                            efficiency)                                                            \
  {#name, OF_B_##of_b, tile_m, tile_n, 64 * (waves), efficiency},
#include "kernels/gemm_block/instances.def"
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct gemm_block_call {
  wt_gemm_block_desc desc;
  const block_kernel *kernel;
  wt_operand a, a_scale, b, b_scale, c;
} gemm_block_call;

// Rounds of work-groups, one on each compute unit, times what a round takes.
static double time_of(const wt_context *context, const block_kernel *kernel, const wt_gemm_block_desc *d) {
  const double tiles =
      (double)wt_divide_up(d->m, kernel->tile_m) * (double)wt_divide_up(d->n, kernel->tile_n);
  return ceil(tiles / context->compute_units) * kernel->tile_m * kernel->tile_n / kernel->efficiency;
}

// Chooses the kernel whose work-groups need the least time, among those that the build did not leave out
// where there is one.
static wt_status choose_kernel(wt_context *context, gemm_block_call *call) {
  const wt_gemm_block_desc *d = &call->desc;
  bool best_built = false;
  for (int i = 0; i < KERNELS; ++i) {
    const block_kernel *kernel = &kernels[i], *best = call->kernel;
    if (kernel->of_b != d->scales_of_b || !wt_context_knows(context, kernel->name)) continue;
    const bool built = wt_context_has(context, kernel->name);
    if (best_built && !built) continue;
    if (best && built == best_built && time_of(context, kernel, d) > time_of(context, best, d)) continue;
    call->kernel = kernel, best_built = built;
  }
  if (call->kernel) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE, "desc->scales_of_b is %d; pass a WT_SCALES_OF_B_* number",
                 (int)call->desc.scales_of_b);
}

static wt_status check_types(wt_context *context, const wt_gemm_block_desc *d) {
  const wt_type type = context->target->ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  if (d->type_ab != type)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_ab is %s (%d), but with scales for blocks of 128 it must be %s on %s",
                   wt_type_name(d->type_ab), (int)d->type_ab, wt_type_name(type), context->target->name);
  return wt_check_float_type(context, "type_c", d->type_c);
}

static wt_status check_desc(wt_context *context, const wt_gemm_block_desc *desc, gemm_block_call *call) {
  static const wt_desc_layout layout = {"wt_gemm_block_desc", "WT_GEMM_BLOCK_DESC_INIT",
                                        sizeof(wt_gemm_block_desc), NULL};
  wt_gemm_block_desc *d = &call->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_size(context, "m", d->m);
  if (!status) status = wt_check_size(context, "n", d->n);
  if (!status) status = wt_check_size(context, "k", d->k);
  if (!status) status = check_types(context, d);
  if (!status) status = choose_kernel(context, call);
  if (!status) status = wt_check_finite(context, "alpha", d->alpha);
  if (!status) status = wt_check_finite(context, "beta", d->beta);
  if (!status) status = wt_check_activation(context, d->activation);
  return status;
}

// Makes the operand of a matrix of scales, and sets its strides where the descriptor leaves them at 0.
static wt_status make_scales(wt_context *context, const char *name, const float *pointer, int64_t rows,
                             int64_t blocks, int64_t *row, int64_t *block, wt_operand *out) {
  if (!*row && !*block) *row = blocks, *block = 1;
  if (*row < 1 || *block < 1)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->%s_row is %" PRId64 " and %s_block %" PRId64
                   "; pass two strides from 1, or 0 and 0 for packed rows",
                   name, *row, name, *block);
  *out = (wt_operand){.name = name,
                      .pointer = pointer,
                      .element = sizeof *pointer,
                      .alignment = sizeof *pointer,
                      .axes = {{rows, *row}, {blocks, *block}}};
  if (wt_operand_span(out)) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_SIZE,
                 "desc->%s_row is %" PRId64 " and %s_block %" PRId64
                 ", so that %s spans more than 2^63 bytes; pass smaller ones",
                 name, *row, name, *block, name);
}

static wt_status make_operands(wt_context *context, gemm_block_call *call, const void *a,
                               const float *a_scale, const void *b, const float *b_scale, void *c) {
  wt_gemm_block_desc *d = &call->desc;
  const int64_t blocks = wt_divide_up(d->k, WT_GEMM_BLOCK);
  const int64_t b_rows = d->scales_of_b == WT_SCALES_OF_B_ROWS ? d->n : wt_divide_up(d->n, WT_GEMM_BLOCK);
  wt_status status = wt_row_matrix(context, "a", a, d->type_ab, d->m, d->k, "lda", d->lda, false, &call->a);
  if (!status)
    status = make_scales(context, "a_scale", a_scale, d->m, blocks, &d->a_scale_row, &d->a_scale_block,
                         &call->a_scale);
  if (!status)
    status = wt_row_matrix(context, "b", b, d->type_ab, d->n, d->k, "ldb", d->ldb, false, &call->b);
  if (!status)
    status = make_scales(context, "b_scale", b_scale, b_rows, blocks, &d->b_scale_row, &d->b_scale_block,
                         &call->b_scale);
  if (!status) status = wt_row_matrix(context, "c", c, d->type_c, d->m, d->n, "ldc", d->ldc, true, &call->c);
  return status;
}

static wt_gemm_block_args args_of(const gemm_block_call *call) {
  const wt_gemm_block_desc *d = &call->desc;
  return (wt_gemm_block_args){.gemm = {.a = call->a.pointer,
                                       .b = call->b.pointer,
                                       .c = (void *)(uintptr_t)call->c.pointer,
                                       .m = (int)d->m,
                                       .n = (int)d->n,
                                       .k = (int)d->k,
                                       .alpha = d->alpha,
                                       .beta = d->beta,
                                       .a_row = call->a.axes[0].stride,
                                       .a_col = 1,
                                       .b_row = call->b.axes[0].stride,
                                       .b_col = 1,
                                       .c_row = call->c.axes[0].stride,
                                       .type_c = (int)d->type_c,
                                       .activation = (int)d->activation,
                                       .bias = d->bias,
                                       .k_part = (int)d->k},
                              .a_scale = call->a_scale.pointer,
                              .b_scale = call->b_scale.pointer,
                              .a_scale_row = d->a_scale_row,
                              .a_scale_block = d->a_scale_block,
                              .b_scale_row = d->b_scale_row,
                              .b_scale_block = d->b_scale_block};
}

// A launch takes as many tile rows of C as its grid can have.
static wt_status launch(wt_context *context, const gemm_block_call *call, hipStream_t stream) {
  const wt_gemm_block_desc *d = &call->desc;
  const block_kernel *kernel = call->kernel;
  const int64_t tiles_n = wt_divide_up(d->n, kernel->tile_n);
  const int64_t rows = (int64_t)WT_MOST_THREADS_X / kernel->threads / tiles_n * kernel->tile_m;
  wt_launch groups = {.y = 1, .z = 1, .threads = kernel->threads};
  snprintf(groups.symbol, sizeof groups.symbol, "%s", kernel->name);
  wt_status status = wt_launch_find(context, kernel->name, &groups);
  for (int64_t m = 0; m < d->m && !status; m += rows) {
    wt_gemm_block_args args = args_of(call);
    args.gemm.m = (int)wt_at_most(d->m - m, rows);
    args.gemm.a = (const char *)args.gemm.a + m * args.gemm.a_row;
    args.gemm.c = (char *)args.gemm.c + m * args.gemm.c_row * (int64_t)call->c.element;
    args.a_scale += m * args.a_scale_row;
    const wt_tiles tiles = {wt_divide_up(args.gemm.m, kernel->tile_m), tiles_n, kernel->tile_m,
                            kernel->tile_n};
    args.gemm.grid = wt_tile_map(context, &tiles);
    groups.x = (unsigned)(tiles.tiles_m * tiles.tiles_n);
    status = wt_launch_enqueue(context, &groups, &args, stream);
  }
  return status;
}

wt_status wt_gemm_block_chosen(wt_context *context, const wt_gemm_block_desc *desc, const char **name) {
  if (!name) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass where the name goes");
  gemm_block_call call = {0};
  *name = NULL;
  const wt_status status = check_desc(context, desc, &call);
  if (!status) *name = call.kernel->name;
  return status;
}

wt_status wt_gemm_block(wt_context *context, const wt_gemm_block_desc *desc, const void *a,
                        const float *a_scale, const void *b, const float *b_scale, void *c,
                        struct ihipStream_t *stream) {
  gemm_block_call call = {0};
  int previous;
  wt_status status = check_desc(context, desc, &call);
  if (!status) status = make_operands(context, &call, a, a_scale, b, b_scale, c);
  if (!status) status = wt_device_enter(context, &previous);
  if (status) return status;
  wt_operand all[6] = {call.a, call.a_scale, call.b, call.b_scale, call.c};
  int count = 5;
  if (call.desc.bias) all[count++] = wt_operand_vector("desc->bias", call.desc.bias, 4, 4, call.desc.n);
  status = wt_operands_check(context, all, count);
  if (!status) status = launch(context, &call, stream);
  wt_device_leave(previous);
  return status;
}
