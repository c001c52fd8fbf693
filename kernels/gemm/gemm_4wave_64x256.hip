// SPDX-License-Identifier: MIT
// GEMM in tiles of 64 x 256, one wave per SIMD, interleaved (gemm_4wave.h).
#include "gemm_4wave.h"

GEMM_KERNELS(gemm_4wave_64x256, gemm_4wave, 64, 256, 1)
