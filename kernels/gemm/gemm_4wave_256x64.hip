// SPDX-License-Identifier: MIT
// GEMM in tiles of 256 x 64, one wave per SIMD, interleaved (gemm_4wave.h).
#include "gemm_4wave.h"

GEMM_KERNELS(gemm_4wave_256x64, gemm_4wave, 256, 64, 1)
