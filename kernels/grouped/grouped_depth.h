// SPDX-License-Identifier: MIT
// Computes grouped GEMM that sums over the tokens of each group (kernels/gemm/gemm_general.h).
#ifndef WT_KERNELS_GROUPED_DEPTH_H
#define WT_KERNELS_GROUPED_DEPTH_H

#include "grouped_gemm.h"
#include "kernels/gemm/gemm_general.h"

#define GROUPED_DEPTH_KERNELS(pairs, ...) \
  GEMM_PAIRS_##pairs(GROUPED_KERNEL, gemm_general, grouped_by_depth<>, __VA_ARGS__)

#endif
