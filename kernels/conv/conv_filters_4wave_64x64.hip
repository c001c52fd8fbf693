// SPDX-License-Identifier: MIT
// Computes the gradient of the filters in tiles of 64 filters and 64 channels of taps, with three K steps in
// LDS and as many work-groups on a compute unit.
#include "conv_filters_4wave.h"

CONV_FILTERS_4WAVE_KERNELS(3, conv_filters_4wave_64x64, 64, 64, 3)
