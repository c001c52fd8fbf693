// SPDX-License-Identifier: MIT
// GEMM in tiles of 128 x 128, for A and B of any order, strides and alignment (gemm_general.h).
#include "gemm_general.h"

GEMM_KERNELS(gemm_general_128x128, gemm_general, 128, 128, 2)
