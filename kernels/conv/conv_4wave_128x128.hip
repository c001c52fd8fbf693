// SPDX-License-Identifier: MIT
// Computes convolution in tiles of 128 pixels and 128 filters, with three K steps in LDS.
#include "conv_4wave.h"

CONV_4WAVE_KERNELS(conv_4wave_128x128, 128, 128, 3)
