// SPDX-License-Identifier: MIT
// wt_gemm_mx: check, choose the tile, launch.
#include <inttypes.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "kernels.h"
#include "kernels/gemm_mx/gemm_mx_args.h"

typedef struct gemm_mx_call {
  wt_gemm_mx_desc desc;
  const wt_scaled_kernel *kernel;
  const wt_block_format *c_format;  // of C; NULL where it has no scales
  wt_scaled_product product;
} gemm_mx_call;

// C in an MX format has scales, and other fields than C in a float type.
static wt_status check_blocks_of_c(wt_context *context, const wt_gemm_mx_desc *d) {
  const char *type = wt_type_name(d->type_c);
  if (!d->c_scale)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->c_scale is NULL; pass memory of the device for the scales of C, as type_c is %s",
                   type);
  if (d->n % WT_BLOCK_ELEMENTS)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->n is %" PRId64 "; with type_c %s pass a multiple of %d, of whole blocks", d->n,
                   type, WT_BLOCK_ELEMENTS);
  if (d->beta != 0)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->beta is %g; pass 0, as nothing can be added to C of type %s", (double)d->beta,
                   type);
  if (d->ldc)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->ldc is %" PRId64
                   "; with type_c %s pass 0, and the bytes between rows as c_row_bytes",
                   d->ldc, type);
  return wt_check_scale_rounding(context, "c_rounding", d->c_rounding);
}

static wt_status check_c(wt_context *context, gemm_mx_call *call) {
  const wt_gemm_mx_desc *d = &call->desc;
  if (d->type_c == WT_TYPE_F8E4M3 || d->type_c == WT_TYPE_F4E2M1) {
    call->c_format = wt_block_format_of(d->type_c);
    return check_blocks_of_c(context, d);
  }
  if (!wt_row_type(d->type_c))
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE,
        "desc->type_c is %s (%d), but it must be WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16, or with "
        "block scales WT_TYPE_F8E4M3 or WT_TYPE_F4E2M1",
        wt_type_name(d->type_c), (int)d->type_c);
  if (!d->c_scale && !d->c_row_bytes && !d->c_scale_row_bytes && d->c_rounding == WT_SCALE_UP)
    return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_VALUE,
                 "desc->%s is set, but C of type %s has no scales; leave it at its default, or pass type_c "
                 "WT_TYPE_F8E4M3 or WT_TYPE_F4E2M1",
                 d->c_scale             ? "c_scale"
                 : d->c_row_bytes       ? "c_row_bytes"
                 : d->c_scale_row_bytes ? "c_scale_row_bytes"
                                        : "c_rounding",
                 wt_type_name(d->type_c));
}

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
  call->kernel = b ? wt_mx_kernel_choose(context, a, b, d->scale_layout, d->m, d->n) : NULL;
  if (!call->kernel)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                   "desc->type_b is %s (%d), but with type_a %s it must be %s", wt_type_name(d->type_b),
                   (int)d->type_b, wt_type_name(d->type_a), partners);
  return check_c(context, call);
}

static wt_status check_desc(wt_context *context, const wt_gemm_mx_desc *desc, gemm_mx_call *call) {
  static const size_t older[] = {offsetof(wt_gemm_mx_desc, c_scale), 0};
  static const wt_desc_layout layout = {"wt_gemm_mx_desc", "WT_GEMM_MX_DESC_INIT", sizeof(wt_gemm_mx_desc),
                                        older};
  wt_gemm_mx_desc *d = &call->desc;
  wt_scaled_product *p = &call->product;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  *p = (wt_scaled_product){.m = d->m,
                           .n = d->n,
                           .k = d->k,
                           .alpha = d->alpha,
                           .beta = d->beta,
                           .type_c = d->type_c,
                           .activation = d->activation,
                           .bias = d->bias};
  if (!status) status = wt_check_blocks_target(context, "MFMA with block scales; use wt_gemm");
  if (!status) status = wt_scaled_check_sizes(context, p);
  if (status) return status;
  if (d->k % WT_BLOCK_ELEMENTS)
    return wt_fail(context, WT_ERROR_SIZE, "desc->k is %" PRId64 "; pass a multiple of %d, of whole blocks",
                   d->k, WT_BLOCK_ELEMENTS);
  if ((unsigned)d->scale_layout > WT_SCALES_SHUFFLED)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->scale_layout is %d; pass WT_SCALES_BY_ROWS (0) or WT_SCALES_SHUFFLED (1)",
                   (int)d->scale_layout);
  if ((unsigned)d->b_layout > WT_WEIGHTS_SHUFFLED)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->b_layout is %d; pass WT_WEIGHTS_BY_ROWS (0) or WT_WEIGHTS_SHUFFLED (1)",
                   (int)d->b_layout);
  status = check_types(context, call);
  if (!status) status = wt_scaled_check_epilogue(context, p);
  return status;
}

static wt_status make_b(wt_context *context, gemm_mx_call *call, const void *b) {
  const wt_gemm_mx_desc *d = &call->desc;
  const int64_t bytes = d->k / WT_BLOCK_ELEMENTS * wt_block_format_of(d->type_b)->bytes;
  wt_operand *out = &call->product.b;
  if (d->b_layout == WT_WEIGHTS_SHUFFLED)
    return wt_shuffled_weight_matrix(context, "b", b, "n", d->n, "k", bytes, "b_row_bytes", d->b_row_bytes,
                                     out);
  return wt_byte_matrix(context, "b", b, d->n, bytes, "b_row_bytes", d->b_row_bytes, out);
}

static wt_status make_c(wt_context *context, gemm_mx_call *call, void *c) {
  const wt_gemm_mx_desc *d = &call->desc;
  wt_scaled_product *p = &call->product;
  if (!call->c_format)
    return wt_row_matrix(context, "c", c, d->type_c, d->m, d->n, "ldc", d->ldc, true, &p->c);
  const int64_t blocks = d->n / WT_BLOCK_ELEMENTS;
  wt_status status = wt_byte_matrix(context, "c", c, d->m, blocks * call->c_format->bytes, "c_row_bytes",
                                    d->c_row_bytes, &p->c);
  if (!status)
    status = wt_byte_matrix(context, "desc->c_scale", d->c_scale, d->m, blocks, "c_scale_row_bytes",
                            d->c_scale_row_bytes, &p->c_scale);
  p->c.written = p->c_scale.written = true;
  return status;
}

static wt_status make_operands(wt_context *context, gemm_mx_call *call, const void *a, const uint8_t *a_scale,
                               const void *b, const uint8_t *b_scale, void *c) {
  wt_scaled_product *p = &call->product;
  const wt_gemm_mx_desc *d = &call->desc;
  const int64_t blocks = d->k / WT_BLOCK_ELEMENTS;
  wt_status status = wt_byte_matrix(context, "a", a, d->m, blocks * wt_block_format_of(d->type_a)->bytes,
                                    "a_row_bytes", d->a_row_bytes, &p->a);
  if (!status)
    status = wt_scale_matrix(context, "a_scale", a_scale, d->m, blocks, d->scale_layout, "a_scale_row_bytes",
                             d->a_scale_row_bytes, &p->a_scale);
  if (!status) status = make_b(context, call, b);
  if (!status)
    status = wt_scale_matrix(context, "b_scale", b_scale, d->n, blocks, d->scale_layout, "b_scale_row_bytes",
                             d->b_scale_row_bytes, &p->b_scale);
  if (!status) status = make_c(context, call, c);
  return status;
}

static void skip_scales_of_c(wt_gemm_mx_args *x, int64_t rows) {
  if (x->c_scale) x->c_scale += rows * x->c_scale_row;
}

static void skip_rows(void *args, int64_t rows) {
  wt_gemm_mx_args *x = args;
  x->a_scale += rows * x->a_scale_row;
  skip_scales_of_c(x, rows);
}

// Tiles have whole groups.
static void skip_groups(void *args, int64_t rows) {
  wt_gemm_mx_args *x = args;
  x->a_scale += rows / WT_SHUFFLED_SCALE_ROWS * x->a_scale_row;
  skip_scales_of_c(x, rows);
}

static wt_status launch(wt_context *context, const gemm_mx_call *call, hipStream_t stream) {
  const wt_scaled_product *p = &call->product;
  wt_gemm_mx_args args = {.gemm = wt_scaled_args(p),
                          .a_scale = p->a_scale.pointer,
                          .b_scale = p->b_scale.pointer,
                          .a_scale_row = p->a_scale.axes[0].stride,
                          .b_scale_row = p->b_scale.axes[0].stride,
                          .c_scale = call->desc.c_scale,
                          .c_scale_row = p->c_scale.axes[0].stride,
                          .c_rounding = (int)call->desc.c_rounding};
  if (call->desc.b_layout == WT_WEIGHTS_SHUFFLED) {
    args.gemm.b_row /= WT_SHUFFLED_WEIGHT_ROWS;  // of the operand, which has that many rows together
    args.b_layout = WT_KERNEL_SHUFFLED;
  }
  return wt_scaled_launch(context, p, call->kernel, &args,
                          call->desc.scale_layout == WT_SCALES_SHUFFLED ? skip_groups : skip_rows, stream);
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
  status = wt_scaled_check_memory(context, &call.product);
  if (!status) status = launch(context, &call, stream);
  wt_device_leave(previous);
  return status;
}
