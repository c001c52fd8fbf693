// SPDX-License-Identifier: MIT
// Lists the pairs of types of A and B that kernel files are compiled for, as instances.def names them.
// GEMM_PAIRS_<pairs>(DEFINE, ...) is DEFINE(..., name and type of A, name and type of B) for each pair.
#ifndef WT_KERNELS_GEMM_PAIRS_H
#define WT_KERNELS_GEMM_PAIRS_H

#include "tiles/types.h"

#define GEMM_PAIRS_E4M3(DEFINE, ...) DEFINE(__VA_ARGS__, f8e4m3, wt::fp8e4m3, f8e4m3, wt::fp8e4m3)
#define GEMM_PAIRS_COMMON(DEFINE, ...)                \
  GEMM_PAIRS_E4M3(DEFINE, __VA_ARGS__)                \
  DEFINE(__VA_ARGS__, bf16, wt::bf16, bf16, wt::bf16) \
  DEFINE(__VA_ARGS__, f16, wt::f16, f16, wt::f16)
#define GEMM_PAIRS_FLOATS(DEFINE, ...)                          \
  GEMM_PAIRS_COMMON(DEFINE, __VA_ARGS__)                        \
  DEFINE(__VA_ARGS__, f8e4m3, wt::fp8e4m3, f8e5m2, wt::fp8e5m2) \
  DEFINE(__VA_ARGS__, f8e5m2, wt::fp8e5m2, f8e4m3, wt::fp8e4m3) \
  DEFINE(__VA_ARGS__, f8e5m2, wt::fp8e5m2, f8e5m2, wt::fp8e5m2)
#define GEMM_PAIRS_ALL(DEFINE, ...)      \
  GEMM_PAIRS_FLOATS(DEFINE, __VA_ARGS__) \
  DEFINE(__VA_ARGS__, i8, wt::i8, i8, wt::i8)
// Lists the pairs of MX formats: those of 8 or 4 bits, the same and those of gradients, BF16 with FP4, and
// those with 6 bits.
#define GEMM_PAIRS_MX(DEFINE, ...)                                \
  DEFINE(__VA_ARGS__, fp4e2m1, wt::fp4e2m1, fp4e2m1, wt::fp4e2m1) \
  DEFINE(__VA_ARGS__, fp8e4m3, wt::fp8e4m3, fp8e4m3, wt::fp8e4m3) \
  DEFINE(__VA_ARGS__, fp8e4m3, wt::fp8e4m3, fp4e2m1, wt::fp4e2m1)
#define GEMM_PAIRS_MX_GRADIENTS(DEFINE, ...) \
  GEMM_PAIRS_MX(DEFINE, __VA_ARGS__)         \
  DEFINE(__VA_ARGS__, fp8e5m2, wt::fp8e5m2, fp8e4m3, wt::fp8e4m3)
#define GEMM_PAIRS_MX_BF16(DEFINE, ...) DEFINE(__VA_ARGS__, bf16, wt::bf16, fp4e2m1, wt::fp4e2m1)
#define GEMM_PAIRS_MX_6(DEFINE, ...)                              \
  DEFINE(__VA_ARGS__, fp6e2m3, wt::fp6e2m3, fp6e2m3, wt::fp6e2m3) \
  DEFINE(__VA_ARGS__, fp6e2m3, wt::fp6e2m3, fp4e2m1, wt::fp4e2m1) \
  DEFINE(__VA_ARGS__, fp6e3m2, wt::fp6e3m2, fp6e3m2, wt::fp6e3m2) \
  DEFINE(__VA_ARGS__, fp6e3m2, wt::fp6e3m2, fp4e2m1, wt::fp4e2m1)

#endif
