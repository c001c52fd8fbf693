// SPDX-License-Identifier: MIT
// GEMM in tiles of 192 x 256, one wave per SIMD, interleaved (gemm_4wave.h).
#include "gemm_4wave.h"

GEMM_KERNELS(gemm_4wave_192x256, gemm_4wave, 192, 256, 1)
