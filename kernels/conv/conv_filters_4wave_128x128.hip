// SPDX-License-Identifier: MIT
// The gradient of the filters in tiles of 128 filters and 128 channels of taps, by two work-groups on a
// compute unit. gfx950 has two K steps in LDS, gfx942 one.
#include "conv_filters_4wave.h"

CONV_FILTERS_4WAVE_KERNELS(2, conv_filters_4wave_128x128, 128, 128, (wt::target::kGfx950 ? 2 : 1))
