// SPDX-License-Identifier: MIT
// GEMM in tiles of 128 x 256, two waves per SIMD in ping-pong (gemm_8wave.h).
#include "gemm_8wave.h"

GEMM_KERNELS(gemm_8wave_128x256, gemm_8wave, 128, 256, 2)
