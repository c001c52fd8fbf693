// SPDX-License-Identifier: MIT
// The gradient by the filters in tiles of 128 filters and 128 channels of taps, with two K steps in LDS and
// as many work-groups on a compute unit.
#include "conv_filters_4wave.h"

CONV_FILTERS_4WAVE_KERNELS(2, conv_filters_4wave_128x128, 128, 128, 2)
