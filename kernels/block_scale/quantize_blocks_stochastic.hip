// SPDX-License-Identifier: MIT
// Quantises to MX formats, with elements rounded stochastically. Random numbers would take registers of the
// other kernels, too, if these were not kernels of their own.
#include "quantize_blocks.h"

WT_QUANTIZE_BLOCKS_KERNELS(quantize_blocks_stochastic, stochastic)
