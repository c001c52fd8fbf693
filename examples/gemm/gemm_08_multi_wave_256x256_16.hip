// SPDX-License-Identifier: MIT
// This is rung 08, multi-wave, most waves: 256 x 256 by sixteen waves of twice 64 x 32, as published. Four
// waves per SIMD hide more, but have half the registers: in a K step each reads 24 times from LDS, as often
// as each of eight waves. ROCm blogs published 2228.01 TFLOP/s at M = N = K = 4096 on MI355X for this step
// (FP8 GEMM on CDNA4, 2026).
#include "gemm_double_buffered.h"

GEMM_DOUBLE_BUFFERED(gemm_08_multi_wave_256x256_16, 256, 256, 2, 8, 2, true)
