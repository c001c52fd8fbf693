// SPDX-License-Identifier: MIT
// The frame of the gradient of the filters. gfx950 reads its operands from LDS across their rows. gfx942,
// which does so for no element of 8 bits, transposes them on the way to LDS; it takes K steps of 128 bytes,
// so that a thread has a block of each half.
#ifndef WT_KERNELS_CONV_FILTERS_FRAME_H
#define WT_KERNELS_CONV_FILTERS_FRAME_H

#include "conv_taps_transposing.h"
#include "kernels/gemm/gemm_general.h"

template <wt::target::chip Chip, class TA, class TB, int BM, int BN, int Stages, wt::placement Placement>
struct conv_filters_frame_on;
template <class TA, class TB, int BM, int BN, int Stages, wt::placement Placement>
struct conv_filters_frame_on<wt::target::chip::gfx950, TA, TB, BM, BN, Stages, Placement> {
  using type = gemm_frame<TA, TB, BM, BN, 2, 2, Placement, 128, Stages, wt::swizzle_for_row<128>,
                          conv_filter_rows<TA>, conv_tap_rows<TB>>;
};
template <class TA, class TB, int BM, int BN, int Stages, wt::placement Placement>
struct conv_filters_frame_on<wt::target::chip::gfx942, TA, TB, BM, BN, Stages, Placement> {
  using type = gemm_frame<TA, TB, BM, BN, 2, 2, Placement, 128, Stages, gemm_general_swizzle<128>(),
                          conv_filter_rows_transposing<TA>, conv_tap_rows_transposing<TB>>;
};
template <class TA, class TB, int BM, int BN, int Stages, wt::placement Placement>
using conv_filters_frame = conv_filters_frame_on<wt::target::kChip, TA, TB, BM, BN, Stages, Placement>::type;

#endif
