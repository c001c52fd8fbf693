// SPDX-License-Identifier: MIT
// The gradient by the filters of anything, in tiles of 64 filters and 64 channels of taps.
#include "conv_general.h"
#include "conv_taps.h"

template <class TA, class TB, int BM, int BN, int Stages>
using conv_filters_general =
    conv_general_loop<gemm_frame<TA, TB, BM, BN, 2, 2, wt::placement::compiler, 128, Stages,
                                 wt::swizzle_for_row<128>, conv_filter_rows<TA>, conv_tap_rows<TB>>>;

CONV_TYPES_16(CONV_KERNEL, gemm, conv_filters_general, 2, conv_filters_general_64x64, 64, 64, 1)
