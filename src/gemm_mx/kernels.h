// SPDX-License-Identifier: MIT
// The registry of GEMM kernels with block scales, and the choice among them.
#ifndef WT_SRC_GEMM_MX_KERNELS_H
#define WT_SRC_GEMM_MX_KERNELS_H

#include <stdint.h>

#include "core/blocks.h"
#include "gemm/scaled.h"

// Returns the kernel that multiplies these formats with scales of this layout, and is number `nth` of them;
// NULL when there are no more.
const wt_scaled_kernel *wt_mx_kernel_at(const wt_block_format *a, const wt_block_format *b,
                                        wt_scale_layout scales, int nth);

// Returns the formats of B that are multiplied with this A (wt_block_a_format_of), as text: "WT_TYPE_F4E2M1";
// empty when none is.
void wt_mx_partners(const wt_block_format *a, char *text, size_t size);

#endif
