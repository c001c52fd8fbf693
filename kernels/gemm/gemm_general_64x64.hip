// SPDX-License-Identifier: MIT
// GEMM in tiles of 64 x 64, for A and B of any order, strides and alignment (gemm_general.h).
#include "gemm_general.h"

GEMM_KERNELS(gemm_general_64x64, gemm_general, 64, 64, 2)
