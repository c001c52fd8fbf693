// SPDX-License-Identifier: MIT
// Launches a product of the shared network, by the call that takes its format.
#include "experts_product.h"

#include "core/types.h"

experts_product experts_product_make(const wt_experts_desc *d, experts_shape shape, const void *w,
                                     const void *w_scale) {
  experts_product product = {.format = experts_format_of(d),
                             .w = w,
                             .w_scale = w_scale,
                             .plain = WT_GEMM_DESC_INIT,
                             .block = WT_GEMM_BLOCK_DESC_INIT,
                             .mx = WT_GEMM_MX_DESC_INIT};
  wt_gemm_desc *const plain = &product.plain;
  plain->m = shape.rows, plain->n = shape.n, plain->k = shape.k, plain->lda = shape.lda,
  plain->ldc = shape.ldc;
  plain->type_a = plain->type_b = plain->type_c = d->type;
  wt_gemm_block_desc *const block = &product.block;
  block->m = shape.rows, block->n = shape.n, block->k = shape.k, block->ldc = shape.ldc;
  block->type_ab = d->type_w, block->type_c = d->type;
  block->scales = d->scales, block->scales_of_b = d->scales_of_w;
  wt_gemm_mx_desc *const mx = &product.mx;
  mx->m = shape.rows, mx->n = shape.n, mx->k = shape.k, mx->ldc = shape.ldc;
  mx->type_a = d->type_q, mx->type_b = d->type_w, mx->type_c = d->type;
  if (!experts_quantizes(d)) mx->a_row_bytes = shape.lda * (int64_t)wt_type_size(d->type);
  return product;
}

wt_status experts_product_workspace(wt_context *context, const experts_product *product, size_t *bytes) {
  *bytes = 0;
  switch (product->format) {
    case EXPERTS_PLAIN: return wt_gemm_workspace_size(context, &product->plain, bytes);
    case EXPERTS_MX: return wt_gemm_mx_workspace_size(context, &product->mx, bytes);
    case EXPERTS_F32_SCALES: break;
  }
  return WT_SUCCESS;
}

wt_status experts_product_check_kernel(wt_context *context, const experts_product *product) {
  const char *name;
  switch (product->format) {
    case EXPERTS_PLAIN: return wt_gemm_chosen(context, &product->plain, &name);
    case EXPERTS_MX: return wt_gemm_mx_chosen(context, &product->mx, &name);
    case EXPERTS_F32_SCALES: break;
  }
  return wt_gemm_block_chosen(context, &product->block, &name);
}

wt_status experts_product_run(wt_context *context, const experts_product *product,
                              const experts_product_memory *m, struct ihipStream_t *stream) {
  wt_gemm_desc plain = product->plain;
  wt_gemm_mx_desc mx = product->mx;
  plain.workspace = mx.workspace = m->workspace;
  plain.workspace_bytes = mx.workspace_bytes = m->workspace_bytes;
  switch (product->format) {
    case EXPERTS_PLAIN: return wt_gemm(context, &plain, m->a, product->w, m->c, stream);
    case EXPERTS_MX:
      return wt_gemm_mx(context, &mx, m->a, m->a_scale, product->w, product->w_scale, m->c, stream);
    case EXPERTS_F32_SCALES: break;
  }
  return wt_gemm_block(context, &product->block, m->a, m->a_scale, product->w, product->w_scale, m->c,
                       stream);
}
