// SPDX-License-Identifier: MIT
// This is rung 07, double buffer. Idea: LDS holds two K steps; while the waves multiply one, the copies of
// the next are in flight, and a step costs the longer of the two instead of their sum. One barrier per step
// is enough: it says both that the next step has landed and that nobody reads the old one any more. Four
// waves of 32 x 32, which share the tiles, compute a tile of 64 x 64 in K steps of 128. ROCm blogs published
// 1166.41 TFLOP/s at M = N = K = 4096 on MI355X for this step (FP8 GEMM on CDNA4, 2026).
#include "gemm_double_buffered.h"

GEMM_DOUBLE_BUFFERED(gemm_07_double_buffer, 64, 64, 2, 2, 1, true)
