// SPDX-License-Identifier: MIT
// Describes the gradient of the filters after checking: the product that it is (kernels/conv/conv_taps.h),
// the extent of each operand, and the kernel.
#ifndef WT_SRC_CONV_FILTERS_PLAN_H
#define WT_SRC_CONV_FILTERS_PLAN_H

#include "core/operand.h"
#include "gemm/gemm_plan.h"

typedef struct wt_conv_filters_plan {
  wt_conv_desc desc;
  int64_t p, q;  // rows and columns of an image of dy
  wt_operand dy, x, dw;
  // m are filters, n channels of taps and k output pixels; A and B are transposed, and B is what the filters
  // cover.
  wt_gemm_plan product;
} wt_conv_filters_plan;

// Checks everything that does not depend on memory, in the order of the members of the descriptor, except the
// choice of a kernel.
wt_status wt_conv_filters_plan_check(wt_context *context, const wt_conv_desc *desc, const void *dy,
                                     const void *x, void *dw, wt_conv_filters_plan *plan);

// Chooses the kernel of a plan for its addresses, and the parts of K; NULL stands for well aligned addresses.
wt_status wt_conv_filters_choose(wt_context *context, wt_conv_filters_plan *plan);

#endif
