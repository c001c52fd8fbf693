// SPDX-License-Identifier: MIT
// This is rung 08, multi-wave, with larger tiles: a tile of 256 x 256 makes each byte copied serve twice the
// products. Eight waves compute 128 x 64 each; half a SIMD's registers hold the accumulators of two waves.
// ROCm blogs published 2288.16 TFLOP/s at M = N = K = 4096 on MI355X for this step (FP8 GEMM on CDNA4, 2026).
#include "gemm_double_buffered.h"

GEMM_DOUBLE_BUFFERED(gemm_08_multi_wave_256x256_8, 256, 256, 2, 4, 1, swizzled)
