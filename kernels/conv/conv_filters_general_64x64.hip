// SPDX-License-Identifier: MIT
// Computes the gradient of the filters of anything, in tiles of 64 filters and 64 channels of taps.
#include "conv_filters_frame.h"
#include "conv_general.h"

template <class TA, class TB, int BM, int BN, int Stages>
using conv_filters_general =
    conv_general_loop<conv_filters_frame<TA, TB, BM, BN, Stages, wt::placement::compiler>>;

CONV_TYPES(CONV_KERNEL, gemm, conv_filters_general, 2, conv_filters_general_64x64, 64, 64, 1)
