// SPDX-License-Identifier: MIT
// GEMM of A, B or both with contiguous rows, in the 4-wave interleave (gemm_4wave.h): the same loop and
// schedule with other paths of the operands through LDS (gemm_transposed.h). A transposed read of LDS moves 8
// bytes per lane instead of 16, so the schedule has up to twice as many.
#ifndef WT_KERNELS_GEMM_4WAVE_TRANSPOSED_H
#define WT_KERNELS_GEMM_4WAVE_TRANSPOSED_H

#include "gemm_4wave.h"
#include "gemm_transposed.h"

template <class TA, class TB, int BM, int BN, int Stages>
using gemm_4wave_ta =
    gemm_4wave_ordered<TA, TB, BM, BN, Stages, gemm_order::rows_contiguous, gemm_order::k_contiguous>;
template <class TA, class TB, int BM, int BN, int Stages>
using gemm_4wave_tb =
    gemm_4wave_ordered<TA, TB, BM, BN, Stages, gemm_order::k_contiguous, gemm_order::rows_contiguous>;
template <class TA, class TB, int BM, int BN, int Stages>
using gemm_4wave_tatb =
    gemm_4wave_ordered<TA, TB, BM, BN, Stages, gemm_order::rows_contiguous, gemm_order::rows_contiguous>;

// Defines the kernels <stem>_<order>_<a>_<b>: A, B or both have contiguous rows.
#define GEMM_4WAVE_TRANSPOSED_KERNELS(pairs, stem, ...)                      \
  GEMM_KERNELS(pairs, gemm_scheduled, gemm_4wave_ta, stem##_ta, __VA_ARGS__) \
  GEMM_KERNELS(pairs, gemm_scheduled, gemm_4wave_tb, stem##_tb, __VA_ARGS__) \
  GEMM_KERNELS(pairs, gemm_scheduled, gemm_4wave_tatb, stem##_tatb, __VA_ARGS__)

#endif
