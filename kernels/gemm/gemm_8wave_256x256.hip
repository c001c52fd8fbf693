// SPDX-License-Identifier: MIT
// GEMM in tiles of 256 x 256, two waves per SIMD in ping-pong (gemm_8wave.h).
#include "gemm_8wave.h"

GEMM_KERNELS(gemm_8wave_256x256, gemm_8wave, 256, 256, 2)
