// SPDX-License-Identifier: MIT
// The registry of GEMM kernels with block scales, and the choice among them.
#ifndef WT_SRC_GEMM_MX_KERNELS_H
#define WT_SRC_GEMM_MX_KERNELS_H

#include <stdint.h>

#include "core/blocks.h"
#include "core/scaled.h"

// Returns the kernel for C of m x n (wt_scaled_better); NULL when none multiplies these formats with scales
// of this layout.
const wt_scaled_kernel *wt_mx_kernel_choose(const wt_context *context, const wt_block_format *a,
                                            const wt_block_format *b, wt_scale_layout scales, int64_t m,
                                            int64_t n);

// Returns the formats of B that are multiplied with this A, as text: "WT_TYPE_F4E2M1"; empty when none is.
void wt_mx_partners(const wt_context *context, const wt_block_format *a, char *text, size_t size);

#endif
