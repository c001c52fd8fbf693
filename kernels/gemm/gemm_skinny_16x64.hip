// SPDX-License-Identifier: MIT
// GEMM for up to 16 rows of A, 64 columns of C per work-group (gemm_skinny.h).
#include "gemm_skinny.h"

GEMM_KERNELS_OF(gemm_of_few_rows, gemm_skinny_16x64, gemm_skinny, 16, 64, 2)
