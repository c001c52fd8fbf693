// SPDX-License-Identifier: MIT
// GEMM in tiles of 128 x 128, two waves per SIMD in ping-pong (gemm_8wave.h).
#include "gemm_8wave.h"

GEMM_KERNELS(gemm_8wave_128x128, gemm_8wave, 128, 128, 2)
