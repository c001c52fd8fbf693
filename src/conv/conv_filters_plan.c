// SPDX-License-Identifier: MIT
// Makes the plan of the gradient of the filters.
#include "conv_filters_plan.h"

#include <string.h>

#include "conv_check.h"
#include "core/types.h"
#include "core/workspace.h"

// Parts of the output pixels are multiples of a K step, which has as many bytes in every kernel.
enum { STEP_BYTES = 128 };

static wt_status check_types(wt_context *context, const wt_conv_desc *d) {
  return wt_conv_check_types(context, (wt_conv_type){"type_y", d->type_y},
                             (wt_conv_type){"type_x", d->type_x}, (wt_conv_type){"type_w", d->type_w});
}

static wt_status make_tensors(wt_context *context, wt_conv_filters_plan *plan, const void *dy, const void *x,
                              const void *dw) {
  const wt_conv_desc *d = &plan->desc;
  const int64_t sizes_x[] = {d->n, d->h, d->w, d->c}, sizes_w[] = {d->k, d->r, d->s, d->c};
  const int64_t sizes_y[] = {d->n, plan->p, plan->q, d->k};
  wt_status status = wt_conv_tensor(context, "dy", dy, d->type_y, sizes_y, &plan->dy);
  if (!status) status = wt_conv_tensor(context, "x", x, d->type_x, sizes_x, &plan->x);
  if (!status) status = wt_conv_tensor(context, "dw", dw, d->type_w, sizes_w, &plan->dw);
  plan->dw.written = true;
  return status;
}

static wt_gemm_matrix matrix_of(const wt_operand *operand, int64_t rows, int64_t columns) {
  return (wt_gemm_matrix){.name = operand->name,
                          .element_bytes = operand->element_bytes,
                          .rows = rows,
                          .cols = columns,
                          .ld = columns,
                          .bytes = operand->bytes};
}

// Fills in the product as wt_gemm would plan it, as far as its cost and its launches need that.
static void plan_product(wt_context *context, wt_conv_filters_plan *plan, int64_t pixels, int64_t channels) {
  const wt_conv_desc *d = &plan->desc;
  wt_gemm_plan *product = &plan->product;
  product->desc = WT_GEMM_DESC_INIT;
  product->desc.m = d->k, product->desc.n = channels, product->desc.k = pixels;
  product->desc.trans_a = product->desc.trans_b = 1;
  product->desc.type_a = d->type_y, product->desc.type_b = d->type_x, product->desc.type_c = d->type_w;
  product->desc.alpha = d->alpha, product->desc.beta = d->beta;
  product->desc.workspace = d->workspace, product->desc.workspace_bytes = d->workspace_bytes;
  product->a = matrix_of(&plan->dy, pixels, d->k);
  product->b = matrix_of(&plan->x, pixels, channels);
  product->c = matrix_of(&plan->dw, d->k, channels);
  product->grain = STEP_BYTES / (int64_t)plan->x.element_bytes;
  product->workspace_most_bytes = d->workspace ? d->workspace_bytes : wt_workspace_most_bytes(context);
}

wt_status wt_conv_filters_plan_check(wt_context *context, const wt_conv_desc *desc, const void *dy,
                                     const void *x, void *dw, wt_conv_filters_plan *plan) {
  memset(plan, 0, sizeof *plan);
  const wt_conv_desc *d = &plan->desc;
  int64_t pixels = 0, channels = 0;
  wt_status status = wt_conv_check_begin(context, desc, &plan->desc, &plan->p, &plan->q);
  if (!status) status = wt_conv_check_plain(context, d);
  if (!status) status = check_types(context, d);
  if (status) return status;
  const int64_t element_bytes = (int64_t)wt_type_size(d->type_x);
  status = wt_conv_check_product(context, "the output pixels, desc->n with p and q of each image,",
                                 "pass fewer images at once", d->n, plan->p, plan->q, &pixels);
  if (!status)
    status = wt_conv_check_product(context,
                                   "the bytes of a filter, desc->r, desc->s and those of desc->c channels,",
                                   "pass a smaller filter", d->r, d->s, d->c * element_bytes, &channels);
  if (!status) status = make_tensors(context, plan, dy, x, dw);
  if (!status) plan_product(context, plan, pixels, channels / element_bytes);
  return status;
}
