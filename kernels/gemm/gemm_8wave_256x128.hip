// SPDX-License-Identifier: MIT
// GEMM in tiles of 256 x 128, two waves per SIMD in ping-pong (gemm_8wave.h).
#include "gemm_8wave.h"

GEMM_KERNELS(gemm_8wave_256x128, gemm_8wave, 256, 128, 2)
