// SPDX-License-Identifier: MIT
// Computes the gradient of the filters in the schedule of the 4-wave GEMMs (kernels/gemm/gemm_4wave.h).
#ifndef WT_KERNELS_CONV_FILTERS_4WAVE_H
#define WT_KERNELS_CONV_FILTERS_4WAVE_H

#include "conv_filters_frame.h"
#include "kernels/gemm/gemm_4wave.h"

template <int BM, int BN>
inline constexpr wt::placement kConvFiltersPlacement =
    wt::target::kGfx950 && BM * BN > kLargestShared ? wt::placement::pinned : wt::placement::compiler;
template <class TA, class TB, int BM, int BN, int Stages>
using conv_filters_4wave =
    gemm_4wave<TA, TB, BM, BN, Stages,
               conv_filters_frame<TA, TB, BM, BN, Stages, kConvFiltersPlacement<BM, BN>>>;

#define CONV_FILTERS_4WAVE_KERNELS(waves_per_simd, ...) \
  CONV_TYPES(CONV_KERNEL, gemm_scheduled, conv_filters_4wave, waves_per_simd, __VA_ARGS__)

#endif
