// SPDX-License-Identifier: MIT
// GEMM in tiles of 256 x 256, two waves per SIMD, ping-pong by a derived pipeline (gemm_8wave_derived.h).
#include "gemm_8wave_derived.h"

GEMM_KERNELS(gemm_8wave_derived_256x256, gemm_8wave_derived, 256, 256, 2)
