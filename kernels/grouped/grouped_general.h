// SPDX-License-Identifier: MIT
// Computes grouped GEMM of operands in any order and at any alignment (kernels/gemm/gemm_general.h).
#ifndef WT_KERNELS_GROUPED_GENERAL_H
#define WT_KERNELS_GROUPED_GENERAL_H

#include "grouped_gemm.h"
#include "kernels/gemm/gemm_general.h"

#define GROUPED_GENERAL_KERNELS(pairs, stem, BM, ...) \
  GEMM_PAIRS_##pairs(GROUPED_KERNEL, gemm_general, grouped_by_rows<BM>, stem, BM, __VA_ARGS__)

#endif
