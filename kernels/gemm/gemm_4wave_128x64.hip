// SPDX-License-Identifier: MIT
// GEMM in tiles of 128 x 64, one wave per SIMD, interleaved (gemm_4wave.h).
#include "gemm_4wave.h"

GEMM_KERNELS(gemm_4wave_128x64, gemm_4wave, 128, 64, 1)
