// SPDX-License-Identifier: MIT
// A GEMM descriptor after checking: defaults resolved, the kernel chosen, the extent of each operand known.
#ifndef WT_SRC_GEMM_PLAN_H
#define WT_SRC_GEMM_PLAN_H

#include "context.h"
#include "kernels.h"

typedef struct wt_operand {
  char name;           // 'a', 'b' or 'c', for sentences
  size_t element;      // bytes per element
  int64_t rows, cols;  // as stored
  int64_t ld, stride;  // elements
  uint64_t bytes;      // from the first to past the last element of the batch
} wt_operand;

typedef struct wt_gemm_plan {
  wt_gemm_desc desc;
  const wt_kernel *kernel;
  wt_operand a, b, c;
} wt_gemm_plan;

// Checks everything that does not depend on memory, in the order of the members of the descriptor.
wt_status wt_gemm_plan_make(wt_context *context, const wt_gemm_desc *desc, wt_gemm_plan *plan);

// What the kernel multiplies the product with: alpha and both scales.
float wt_gemm_plan_alpha(const wt_gemm_plan *plan);

// Checks the pointers of a plan: alignment, overlap, and that each is long enough and on the context's
// device, which must be current.
wt_status wt_gemm_plan_check_memory(wt_context *context, const wt_gemm_plan *plan, const void *a,
                                    const void *b, const void *c);

#endif
