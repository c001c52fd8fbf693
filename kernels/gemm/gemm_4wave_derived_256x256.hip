// SPDX-License-Identifier: MIT
// GEMM in tiles of 256 x 256, one wave per SIMD, interleaved by a derived pipeline (gemm_4wave_derived.h).
#include "gemm_4wave_derived.h"

GEMM_KERNELS(gemm_4wave_derived_256x256, gemm_4wave_derived, 256, 256, 1)
