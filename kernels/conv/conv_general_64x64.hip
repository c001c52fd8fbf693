// SPDX-License-Identifier: MIT
// Computes convolution of anything, in tiles of 64 pixels and 64 filters.
#include "conv_general.h"

CONV_GENERAL_KERNELS(conv_general_64x64, 64, 64, 1)
