// SPDX-License-Identifier: MIT
// Lists every dense matrix instruction as the manuals do, for the kernels and for the program that checks
// them: X(type of A, type of B, M, N, K, blocks, on gfx942, on gfx950). The sources are CDNA4 ISA chapter 7
// and, for gfx942, AMD's matrix instruction calculator.
#ifndef WT_TESTS_KERNELS_ISA_MFMA_CASES_H
#define WT_TESTS_KERNELS_ISA_MFMA_CASES_H

#define ISA_MFMA_16BIT(X, T)   \
  X(T, T, 32, 32, 4, 2, 1, 1)  \
  X(T, T, 16, 16, 4, 4, 1, 1)  \
  X(T, T, 4, 4, 4, 16, 1, 1)   \
  X(T, T, 32, 32, 8, 1, 1, 1)  \
  X(T, T, 16, 16, 16, 1, 1, 1) \
  X(T, T, 32, 32, 16, 1, 0, 1) \
  X(T, T, 16, 16, 32, 1, 0, 1)

#define ISA_MFMA_FP8(X, A, B)  \
  X(A, B, 32, 32, 16, 1, 1, 1) \
  X(A, B, 16, 16, 32, 1, 1, 1)

#define ISA_MFMA_CASES(X)           \
  X(f64, f64, 16, 16, 4, 1, 1, 1)   \
  X(f64, f64, 4, 4, 4, 4, 1, 1)     \
  X(f32, f32, 32, 32, 1, 2, 1, 1)   \
  X(f32, f32, 16, 16, 1, 4, 1, 1)   \
  X(f32, f32, 4, 4, 1, 16, 1, 1)    \
  X(f32, f32, 32, 32, 2, 1, 1, 1)   \
  X(f32, f32, 16, 16, 4, 1, 1, 1)   \
  X(xf32, xf32, 32, 32, 4, 1, 1, 0) \
  X(xf32, xf32, 16, 16, 8, 1, 1, 0) \
  ISA_MFMA_16BIT(X, f16)            \
  ISA_MFMA_16BIT(X, bf16)           \
  X(i8, i8, 32, 32, 4, 2, 1, 1)     \
  X(i8, i8, 16, 16, 4, 4, 1, 1)     \
  X(i8, i8, 4, 4, 4, 16, 1, 1)      \
  X(i8, i8, 32, 32, 16, 1, 1, 1)    \
  X(i8, i8, 16, 16, 32, 1, 1, 1)    \
  X(i8, i8, 32, 32, 32, 1, 0, 1)    \
  X(i8, i8, 16, 16, 64, 1, 0, 1)    \
  ISA_MFMA_FP8(X, fp8e4m3, fp8e4m3) \
  ISA_MFMA_FP8(X, fp8e4m3, fp8e5m2) \
  ISA_MFMA_FP8(X, fp8e5m2, fp8e4m3) \
  ISA_MFMA_FP8(X, fp8e5m2, fp8e5m2) \
  ISA_MFMA_SCALED_CASES(X)

// These are the f8f6f4 instructions, which also exist with scales.
#define ISA_MFMA_NARROW(X, A, B) \
  X(A, B, 32, 32, 64, 1, 0, 1)   \
  X(A, B, 16, 16, 128, 1, 0, 1)
#define ISA_MFMA_NARROW_A(X, A)  \
  ISA_MFMA_NARROW(X, A, fp8e4m3) \
  ISA_MFMA_NARROW(X, A, fp8e5m2) \
  ISA_MFMA_NARROW(X, A, fp6e2m3) \
  ISA_MFMA_NARROW(X, A, fp6e3m2) \
  ISA_MFMA_NARROW(X, A, fp4e2m1)
#define ISA_MFMA_SCALED_CASES(X) \
  ISA_MFMA_NARROW_A(X, fp8e4m3)  \
  ISA_MFMA_NARROW_A(X, fp8e5m2)  \
  ISA_MFMA_NARROW_A(X, fp6e2m3)  \
  ISA_MFMA_NARROW_A(X, fp6e3m2)  \
  ISA_MFMA_NARROW_A(X, fp4e2m1)

// The kernels with scales name this byte of the scale registers, by M.
#define ISA_MFMA_SCALE_BYTE_A(M) ((M) == 16 ? 1 : 3)
#define ISA_MFMA_SCALE_BYTE_B(M) ((M) == 16 ? 2 : 0)

#endif
