// SPDX-License-Identifier: MIT
// GEMM in tiles of 256 x 256, one wave per SIMD, interleaved, by persistent work-groups (gemm_persistent.h).
#include "gemm_4wave.h"
#include "gemm_persistent.h"

GEMM_PERSISTENT_KERNELS(gemm_4wave_persistent_256x256, gemm_4wave, 256, 256, 1)
