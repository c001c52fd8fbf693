// SPDX-License-Identifier: MIT
// GEMM in tiles of 128 x 256, one wave per SIMD, interleaved (gemm_4wave.h).
#include "gemm_4wave.h"

GEMM_KERNELS(gemm_4wave_128x256, gemm_4wave, 128, 256, 1)
