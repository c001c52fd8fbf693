// SPDX-License-Identifier: MIT
// One small instance of each main loop of the library, for the mutation test: the same code as the large
// tiles, in fewer instructions.
#include "kernels/gemm/gemm_4wave.h"
#include "kernels/gemm/gemm_8wave.h"

GEMM_KERNEL_OF(gemm, mutant_4wave, gemm_4wave, 64, 64, 1, f8e4m3, wt::fp8e4m3, f8e4m3, wt::fp8e4m3)
GEMM_KERNEL_OF(gemm, mutant_8wave, gemm_8wave, 128, 128, 2, f8e4m3, wt::fp8e4m3, f8e4m3, wt::fp8e4m3)
