// SPDX-License-Identifier: MIT
// Grouped GEMM whose weights are stored k by k, as the gradient by the input has them, in the 4-wave schedule
// (kernels/gemm/gemm_4wave_transposed.h).
#ifndef WT_KERNELS_GROUPED_4WAVE_TRANSPOSED_H
#define WT_KERNELS_GROUPED_4WAVE_TRANSPOSED_H

#include "grouped_gemm.h"
#include "kernels/gemm/gemm_4wave_transposed.h"

#define GROUPED_4WAVE_TRANSPOSED_KERNELS(pairs, stem, BM, ...) \
  GEMM_PAIRS_##pairs(GROUPED_KERNEL, gemm_4wave_tb, grouped_by_rows<BM>, stem, BM, __VA_ARGS__)

#endif
