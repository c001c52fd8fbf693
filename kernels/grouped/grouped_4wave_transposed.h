// SPDX-License-Identifier: MIT
// This is grouped GEMM in the 4-wave schedule (kernels/gemm/gemm_4wave_transposed.h), for weights stored k by
// k, as the gradient of the input has them.
#ifndef WT_KERNELS_GROUPED_4WAVE_TRANSPOSED_H
#define WT_KERNELS_GROUPED_4WAVE_TRANSPOSED_H

#include "grouped_gemm.h"
#include "kernels/gemm/gemm_4wave_transposed.h"

#define GROUPED_4WAVE_TRANSPOSED_KERNELS(pairs, stem, BM, ...) \
  GEMM_PAIRS_##pairs(GROUPED_KERNEL, gemm_4wave_tb, grouped_by_rows<BM>, stem, BM, __VA_ARGS__)

#endif
