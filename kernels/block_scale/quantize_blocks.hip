// SPDX-License-Identifier: MIT
// Quantises to MX formats, with elements rounded to nearest even.
#include "quantize_blocks.h"

WT_QUANTIZE_BLOCKS_KERNELS(quantize_blocks, nearest)
