// SPDX-License-Identifier: MIT
// The gradient by the filters in the schedule of the 4-wave GEMMs (kernels/gemm/gemm_4wave.h).
#ifndef WT_KERNELS_CONV_FILTERS_4WAVE_H
#define WT_KERNELS_CONV_FILTERS_4WAVE_H

#include "conv_taps.h"
#include "kernels/gemm/gemm_4wave.h"

template <class TA, class TB, int BM, int BN, int Stages>
using conv_filters_4wave_frame =
    gemm_frame<TA, TB, BM, BN, 2, 2,
               (BM * BN > kLargestShared ? wt::placement::pinned : wt::placement::compiler), kStepBytesOfChip,
               Stages, wt::swizzle_for_row<kStepBytesOfChip>, conv_filter_rows<TA>, conv_tap_rows<TB>>;
template <class TA, class TB, int BM, int BN, int Stages>
using conv_filters_4wave =
    gemm_4wave<TA, TB, BM, BN, Stages, conv_filters_4wave_frame<TA, TB, BM, BN, Stages>>;

#define CONV_FILTERS_4WAVE_KERNELS(waves_per_simd, ...) \
  CONV_KERNELS_16(gemm_scheduled, conv_filters_4wave, waves_per_simd, __VA_ARGS__)

#endif
