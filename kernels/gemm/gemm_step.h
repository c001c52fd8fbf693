// SPDX-License-Identifier: MIT
// What a step of a loop that is written by hand knows about those after it.
#ifndef WT_KERNELS_GEMM_STEP_H
#define WT_KERNELS_GEMM_STEP_H

// Says whether a wave has more steps after this one.
enum class gemm_step { more_follow, last };

// This is the same as an argument that is known while compiling.
template <gemm_step Which>
struct gemm_step_is {
  constexpr operator gemm_step() const { return Which; }
};

#endif
