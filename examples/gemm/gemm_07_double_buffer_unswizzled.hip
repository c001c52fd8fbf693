// SPDX-License-Identifier: MIT
// This is rung 07 without rung 06's swizzle, for comparison: it shows what bank conflicts cost once copies no
// longer hide them. ROCm blogs published 1056.95 TFLOP/s at M = N = K = 4096 on MI355X for this step (FP8
// GEMM on CDNA4, 2026).
#include "gemm_double_buffered.h"

GEMM_DOUBLE_BUFFERED(gemm_07_double_buffer_unswizzled, 64, 64, 2, 2, 1, plain)
