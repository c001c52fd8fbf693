// SPDX-License-Identifier: MIT
// Makes the two launches of a product whose K is split, for families whose products have other operands than
// wt_gemm's. The plan needs the sizes and types of its descriptor, the workspace, C and the choice.
#ifndef WT_SRC_GEMM_SPLIT_H
#define WT_SRC_GEMM_SPLIT_H

#include "core/launch.h"
#include "gemm_plan.h"
#include "kernels/gemm/gemm_args.h"

// Returns the arguments of the launch that writes the sums of the parts to the workspace, for those of the
// whole product.
wt_gemm_args wt_gemm_sums_args(const wt_gemm_plan *plan, wt_gemm_args args);

// Finds the launch that adds up the parts, first, so that nothing is launched when a kernel is missing.
// `args` are those of the whole product.
wt_status wt_gemm_reduction_find(wt_context *context, const wt_gemm_plan *plan, wt_launch *launch);
wt_status wt_gemm_reduction_launch(wt_context *context, const wt_gemm_plan *plan, const wt_launch *launch,
                                   wt_gemm_args args, hipStream_t stream);

#endif
