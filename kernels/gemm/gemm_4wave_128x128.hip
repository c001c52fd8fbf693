// SPDX-License-Identifier: MIT
// GEMM in tiles of 128 x 128, one wave per SIMD, interleaved (gemm_4wave_derived.h).
#include "gemm_4wave_derived.h"

GEMM_KERNELS(gemm_4wave_128x128, gemm_4wave_3_stages, 128, 128, 1)
