// SPDX-License-Identifier: MIT
// Declares a product of the shared network: that of wt_gemm, or with scales of wt_gemm_block or wt_gemm_mx.
#ifndef WT_SRC_EXPERTS_PRODUCT_H
#define WT_SRC_EXPERTS_PRODUCT_H

#include "experts_scales.h"

typedef struct experts_product {
  experts_format format;
  const void *w, *w_scale;
  wt_gemm_desc plain;  // the one of the format is filled in
  wt_gemm_block_desc block;
  wt_gemm_mx_desc mx;
} experts_product;

// Describes the rows of what is multiplied with w, which is n x k, and of the result.
typedef struct experts_shape {
  int64_t rows, n, k;
  int64_t lda, ldc;  // elements between rows; lda of EXPERTS_PLAIN alone, 0: packed
} experts_shape;

experts_product experts_product_make(const wt_experts_desc *desc, experts_shape shape, const void *w,
                                     const void *w_scale);

// Says how many bytes of workspace the product can make use of.
wt_status experts_product_workspace(wt_context *context, const experts_product *product, size_t *bytes);

// Checks that the library has the kernel of the product.
wt_status experts_product_check_kernel(wt_context *context, const experts_product *product);

// What a launch of a product reads and writes. a_scale is not looked at for EXPERTS_PLAIN.
typedef struct experts_product_memory {
  const void *a, *a_scale;
  void *c, *workspace;
  size_t workspace_bytes;
} experts_product_memory;

wt_status experts_product_run(wt_context *context, const experts_product *product,
                              const experts_product_memory *memory, struct ihipStream_t *stream);

#endif
