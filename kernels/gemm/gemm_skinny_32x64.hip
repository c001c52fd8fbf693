// SPDX-License-Identifier: MIT
// GEMM for up to 32 rows of A, 64 columns of C per work-group (gemm_skinny.h).
#include "gemm_skinny.h"

GEMM_KERNELS_OF(gemm_of_few_rows, gemm_skinny_32x64, gemm_skinny, 32, 64, 2)
