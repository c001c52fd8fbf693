// SPDX-License-Identifier: MIT
// This is rung 08, multi-wave. Idea: more waves per work-group. Two waves on each SIMD alternate: while one
// waits for LDS or a barrier, the other multiplies. Eight waves of 64 x 32 compute a tile of 128 x 128. ROCm
// blogs published 1828.74 TFLOP/s at M = N = K = 4096 on MI355X for this step (FP8 GEMM on CDNA4, 2026).
#include "gemm_double_buffered.h"

GEMM_DOUBLE_BUFFERED(gemm_08_multi_wave_128x128_8, 128, 128, 2, 4, 1, true)
