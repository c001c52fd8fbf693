// SPDX-License-Identifier: MIT
// The gradient by the filters in the schedule of the 4-wave GEMMs (kernels/gemm/gemm_4wave.h).
#ifndef WT_KERNELS_CONV_FILTERS_4WAVE_H
#define WT_KERNELS_CONV_FILTERS_4WAVE_H

#include "conv_taps_transposing.h"
#include "kernels/gemm/gemm_4wave.h"
#include "kernels/gemm/gemm_general.h"

// The frame of a chip. gfx942 takes K steps of 128 bytes, so that a thread has a block of each half.
template <wt::target::chip Chip, class TA, class TB, int BM, int BN, int Stages>
struct conv_filters_4wave_frame;
template <class TA, class TB, int BM, int BN, int Stages>
struct conv_filters_4wave_frame<wt::target::chip::gfx950, TA, TB, BM, BN, Stages> {
  using type = gemm_frame<TA, TB, BM, BN, 2, 2,
                          (BM * BN > kLargestShared ? wt::placement::pinned : wt::placement::compiler), 128,
                          Stages, wt::swizzle_for_row<128>, conv_filter_rows<TA>, conv_tap_rows<TB>>;
};
template <class TA, class TB, int BM, int BN, int Stages>
struct conv_filters_4wave_frame<wt::target::chip::gfx942, TA, TB, BM, BN, Stages> {
  using type =
      gemm_frame<TA, TB, BM, BN, 2, 2, wt::placement::compiler, 128, Stages, gemm_general_swizzle<128>(),
                 conv_filter_rows_transposing<TA>, conv_tap_rows_transposing<TB>>;
};
template <class TA, class TB, int BM, int BN, int Stages>
using conv_filters_4wave =
    gemm_4wave<TA, TB, BM, BN, Stages,
               typename conv_filters_4wave_frame<wt::target::kChip, TA, TB, BM, BN, Stages>::type>;

#define CONV_FILTERS_4WAVE_KERNELS(waves_per_simd, ...) \
  CONV_TYPES_16(CONV_KERNEL, gemm_scheduled, conv_filters_4wave, waves_per_simd, __VA_ARGS__)

#endif
