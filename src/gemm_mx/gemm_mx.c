// SPDX-License-Identifier: MIT
// wt_gemm_mx: check, choose the tile, launch.
#include <inttypes.h>
#include <stdio.h>

#include "core/desc.h"
#include "core/launch.h"
#include "core/rows.h"
#include "core/tile_order.h"
#include "core/types.h"
#include "kernels.h"
#include "kernels/gemm_mx/gemm_mx_args.h"

typedef struct gemm_mx_call {
  wt_gemm_mx_desc desc;
  const wt_mx_kernel *kernel;
  wt_operand a, a_scale, b, b_scale, c;
} gemm_mx_call;

static wt_status check_types(wt_context *context, gemm_mx_call *call) {
  const wt_gemm_mx_desc *d = &call->desc;
  const wt_block_format *a = wt_block_format_of(d->type_a), *b = wt_block_format_of(d->type_b);
  char partners[128] = "";
  if (a) wt_mx_partners(context, a, partners, sizeof partners);
  if (!partners[0])
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE,
        "desc->type_a is %s (%d), but with block scales it must be WT_TYPE_F8E4M3, WT_TYPE_F6E2M3, "
        "WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1",
        wt_type_name(d->type_a), (int)d->type_a);
  call->kernel = b ? wt_mx_kernel_choose(context, a, b, d->m, d->n) : NULL;
  if (!call->kernel)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_b is %s (%d), but with type_a %s it must be %s", wt_type_name(d->type_b),
                   (int)d->type_b, wt_type_name(d->type_a), partners);
  return wt_check_float_type(context, "type_c", d->type_c);
}

static wt_status check_desc(wt_context *context, const wt_gemm_mx_desc *desc, gemm_mx_call *call) {
  static const wt_desc_layout layout = {"wt_gemm_mx_desc", "WT_GEMM_MX_DESC_INIT", sizeof(wt_gemm_mx_desc),
                                        0};
  wt_gemm_mx_desc *d = &call->desc;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = wt_check_blocks_target(context, "MFMA with block scales; use wt_gemm");
  if (!status) status = wt_check_size(context, "m", d->m);
  if (!status) status = wt_check_size(context, "n", d->n);
  if (!status) status = wt_check_size(context, "k", d->k);
  if (status) return status;
  if (d->k % WT_BLOCK_ELEMENTS)
    return wt_fail(context, WT_ERROR_SIZE, "desc->k is %" PRId64 "; pass a multiple of %d, of whole blocks",
                   d->k, WT_BLOCK_ELEMENTS);
  status = check_types(context, call);
  if (!status) status = wt_check_finite(context, "alpha", d->alpha);
  if (!status) status = wt_check_finite(context, "beta", d->beta);
  if (!status) status = wt_check_activation(context, d->activation);
  return status;
}

static wt_status make_operands(wt_context *context, gemm_mx_call *call, const void *a, const uint8_t *a_scale,
                               const void *b, const uint8_t *b_scale, void *c) {
  const wt_gemm_mx_desc *d = &call->desc;
  const int64_t blocks = d->k / WT_BLOCK_ELEMENTS;
  wt_status status = wt_byte_matrix(context, "a", a, d->m, blocks * wt_block_format_of(d->type_a)->bytes,
                                    "a_row_bytes", d->a_row_bytes, &call->a);
  if (!status)
    status = wt_byte_matrix(context, "a_scale", a_scale, d->m, blocks, "a_scale_row_bytes",
                            d->a_scale_row_bytes, &call->a_scale);
  if (!status)
    status = wt_byte_matrix(context, "b", b, d->n, blocks * wt_block_format_of(d->type_b)->bytes,
                            "b_row_bytes", d->b_row_bytes, &call->b);
  if (!status)
    status = wt_byte_matrix(context, "b_scale", b_scale, d->n, blocks, "b_scale_row_bytes",
                            d->b_scale_row_bytes, &call->b_scale);
  if (!status) status = wt_row_matrix(context, "c", c, d->type_c, d->m, d->n, "ldc", d->ldc, true, &call->c);
  return status;
}

static wt_gemm_mx_args args_of(const gemm_mx_call *call) {
  const wt_gemm_mx_desc *d = &call->desc;
  return (wt_gemm_mx_args){.gemm = {.a = call->a.pointer,
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
                           .a_scale_row = call->a_scale.axes[0].stride,
                           .b_scale_row = call->b_scale.axes[0].stride};
}

// A launch takes as many tile rows of C as its grid can have.
static wt_status launch(wt_context *context, const gemm_mx_call *call, hipStream_t stream) {
  const wt_gemm_mx_desc *d = &call->desc;
  const wt_mx_kernel *kernel = call->kernel;
  const int64_t tiles_n = wt_divide_up(d->n, kernel->tile_n);
  const int64_t rows = (int64_t)WT_MOST_THREADS_X / WT_MX_THREADS / tiles_n * kernel->tile_m;
  wt_launch groups = {.y = 1, .z = 1, .threads = WT_MX_THREADS};
  snprintf(groups.symbol, sizeof groups.symbol, "%s", kernel->name);
  wt_status status = wt_launch_find(context, kernel->name, &groups);
  for (int64_t m = 0; m < d->m && !status; m += rows) {
    wt_gemm_mx_args args = args_of(call);
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

wt_status wt_gemm_mx_chosen(wt_context *context, const wt_gemm_mx_desc *desc, const char **name) {
  if (!name) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass where the name goes");
  gemm_mx_call call = {0};
  *name = NULL;
  const wt_status status = check_desc(context, desc, &call);
  if (!status) *name = call.kernel->name;
  return status;
}

wt_status wt_gemm_mx(wt_context *context, const wt_gemm_mx_desc *desc, const void *a, const uint8_t *a_scale,
                     const void *b, const uint8_t *b_scale, void *c, struct ihipStream_t *stream) {
  gemm_mx_call call = {0};
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
