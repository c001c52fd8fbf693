// SPDX-License-Identifier: MIT
// Computes convolution in tiles of 64 pixels and 64 filters, with three K steps in LDS.
#include "conv_4wave.h"

CONV_4WAVE_KERNELS(conv_4wave_64x64, 64, 64, 3)
