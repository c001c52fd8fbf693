// SPDX-License-Identifier: MIT
// This is grouped GEMM in the 4-wave schedule (kernels/gemm/gemm_4wave.h), for K along the rows of both
// operands.
#ifndef WT_KERNELS_GROUPED_4WAVE_H
#define WT_KERNELS_GROUPED_4WAVE_H

#include "grouped_gemm.h"
#include "kernels/gemm/gemm_4wave.h"

#define GROUPED_4WAVE_KERNELS(pairs, stem, BM, ...) \
  GEMM_PAIRS_##pairs(GROUPED_KERNEL, gemm_4wave, grouped_by_rows<BM>, stem, BM, __VA_ARGS__)

#endif
