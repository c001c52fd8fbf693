// SPDX-License-Identifier: MIT
// The gradient by the filters in tiles of 128 filters and 128 channels of taps, with three K steps in LDS.
#include "conv_filters_4wave.h"

CONV_FILTERS_4WAVE_KERNELS(conv_filters_4wave_128x128, 128, 128, 3)
