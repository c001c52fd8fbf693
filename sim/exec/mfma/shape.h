// SPDX-License-Identifier: MIT
// Lists the matrix instructions: shape, element types and passes of every MFMA and SMFMAC mnemonic,
// as data.
#ifndef SIM_EXEC_MFMA_SHAPE_H
#define SIM_EXEC_MFMA_SHAPE_H

#include "sim/isa/op.h"

// These are the element types of A and B. SIM_ELEM_BY_FORMAT: chosen per operand by CBSZ and BLGP (f8f6f4).
typedef enum sim_elem {
  SIM_ELEM_F32,
  SIM_ELEM_XF32,
  SIM_ELEM_F16,
  SIM_ELEM_BF16,
  SIM_ELEM_I8,
  SIM_ELEM_FP8,  // E4M3: OCP on gfx950, FNUZ on gfx942
  SIM_ELEM_BF8,  // E5M2: OCP on gfx950, FNUZ on gfx942
  SIM_ELEM_FP6,  // E2M3
  SIM_ELEM_BF6,  // E3M2
  SIM_ELEM_FP4,  // E2M1
  SIM_ELEM_F64,
  SIM_ELEM_BY_FORMAT
} sim_elem;

// Describes one instruction: `blocks` independent products of an m x k matrix A and a k x m matrix B (all
// shapes are square in m, n). gfx942 and gfx950 differ in passes for f64 only; one pass is 4 cycles.
typedef struct sim_mfma_shape {
  uint8_t m, k, blocks;
  uint8_t a, b;       // sim_elem
  uint8_t passes[2];  // by sim_chip; f8f6f4: without an 8-bit operand, twice that with one
} sim_mfma_shape;

// These are D as a type name: m * m * blocks / 64 results per lane.
#define SIM_D4 "b128"
#define SIM_D16 "b512"
#define SIM_D32 "b1024"

// These are the dense instructions. X(name, chips, m, k, blocks, A, B, D type, A and B type, passes gfx942,
// passes gfx950) Shapes, register counts and passes: CDNA4 ISA chapter 7; CDNA3 from AMD's matrix instruction
// calculator; names as LLVM 22 prints them.
#define SIM_MFMA_DENSE(X)                                                                       \
  X(f32_32x32x1_2b_f32, SIM_ON_BOTH, 32, 1, 2, F32, F32, SIM_D32, "b32", 16, 16)                \
  X(f32_16x16x1_4b_f32, SIM_ON_BOTH, 16, 1, 4, F32, F32, SIM_D16, "b32", 8, 8)                  \
  X(f32_4x4x1_16b_f32, SIM_ON_BOTH, 4, 1, 16, F32, F32, SIM_D4, "b32", 2, 2)                    \
  X(f32_32x32x2_f32, SIM_ON_BOTH, 32, 2, 1, F32, F32, SIM_D16, "b32", 16, 16)                   \
  X(f32_16x16x4_f32, SIM_ON_BOTH, 16, 4, 1, F32, F32, SIM_D4, "b32", 8, 8)                      \
  X(f32_16x16x8_xf32, SIM_ON_GFX942, 16, 8, 1, XF32, XF32, SIM_D4, "b64", 4, 4)                 \
  X(f32_32x32x4_xf32, SIM_ON_GFX942, 32, 4, 1, XF32, XF32, SIM_D16, "b64", 8, 8)                \
  X(f32_32x32x4_2b_f16, SIM_ON_BOTH, 32, 4, 2, F16, F16, SIM_D32, "b64", 16, 16)                \
  X(f32_16x16x4_4b_f16, SIM_ON_BOTH, 16, 4, 4, F16, F16, SIM_D16, "b64", 8, 8)                  \
  X(f32_4x4x4_16b_f16, SIM_ON_BOTH, 4, 4, 16, F16, F16, SIM_D4, "b64", 2, 2)                    \
  X(f32_32x32x4_2b_bf16, SIM_ON_BOTH, 32, 4, 2, BF16, BF16, SIM_D32, "b64", 16, 16)             \
  X(f32_16x16x4_4b_bf16, SIM_ON_BOTH, 16, 4, 4, BF16, BF16, SIM_D16, "b64", 8, 8)               \
  X(f32_4x4x4_16b_bf16, SIM_ON_BOTH, 4, 4, 16, BF16, BF16, SIM_D4, "b64", 2, 2)                 \
  X(f32_32x32x8_f16, SIM_ON_BOTH, 32, 8, 1, F16, F16, SIM_D16, "b64", 8, 8)                     \
  X(f32_16x16x16_f16, SIM_ON_BOTH, 16, 16, 1, F16, F16, SIM_D4, "b64", 4, 4)                    \
  X(f32_32x32x8_bf16, SIM_ON_BOTH, 32, 8, 1, BF16, BF16, SIM_D16, "b64", 8, 8)                  \
  X(f32_16x16x16_bf16, SIM_ON_BOTH, 16, 16, 1, BF16, BF16, SIM_D4, "b64", 4, 4)                 \
  X(f32_16x16x32_f16, SIM_ON_GFX950, 16, 32, 1, F16, F16, SIM_D4, "b128", 4, 4)                 \
  X(f32_32x32x16_f16, SIM_ON_GFX950, 32, 16, 1, F16, F16, SIM_D16, "b128", 8, 8)                \
  X(f32_16x16x32_bf16, SIM_ON_GFX950, 16, 32, 1, BF16, BF16, SIM_D4, "b128", 4, 4)              \
  X(f32_32x32x16_bf16, SIM_ON_GFX950, 32, 16, 1, BF16, BF16, SIM_D16, "b128", 8, 8)             \
  X(i32_32x32x4_2b_i8, SIM_ON_BOTH, 32, 4, 2, I8, I8, SIM_D32, "b32", 16, 16)                   \
  X(i32_16x16x4_4b_i8, SIM_ON_BOTH, 16, 4, 4, I8, I8, SIM_D16, "b32", 8, 8)                     \
  X(i32_4x4x4_16b_i8, SIM_ON_BOTH, 4, 4, 16, I8, I8, SIM_D4, "b32", 2, 2)                       \
  X(i32_32x32x16_i8, SIM_ON_BOTH, 32, 16, 1, I8, I8, SIM_D16, "b64", 8, 8)                      \
  X(i32_16x16x32_i8, SIM_ON_BOTH, 16, 32, 1, I8, I8, SIM_D4, "b64", 4, 4)                       \
  X(i32_16x16x64_i8, SIM_ON_GFX950, 16, 64, 1, I8, I8, SIM_D4, "b128", 4, 4)                    \
  X(i32_32x32x32_i8, SIM_ON_GFX950, 32, 32, 1, I8, I8, SIM_D16, "b128", 8, 8)                   \
  X(f32_16x16x32_bf8_bf8, SIM_ON_BOTH, 16, 32, 1, BF8, BF8, SIM_D4, "b64", 4, 4)                \
  X(f32_16x16x32_bf8_fp8, SIM_ON_BOTH, 16, 32, 1, BF8, FP8, SIM_D4, "b64", 4, 4)                \
  X(f32_16x16x32_fp8_bf8, SIM_ON_BOTH, 16, 32, 1, FP8, BF8, SIM_D4, "b64", 4, 4)                \
  X(f32_16x16x32_fp8_fp8, SIM_ON_BOTH, 16, 32, 1, FP8, FP8, SIM_D4, "b64", 4, 4)                \
  X(f32_32x32x16_bf8_bf8, SIM_ON_BOTH, 32, 16, 1, BF8, BF8, SIM_D16, "b64", 8, 8)               \
  X(f32_32x32x16_bf8_fp8, SIM_ON_BOTH, 32, 16, 1, BF8, FP8, SIM_D16, "b64", 8, 8)               \
  X(f32_32x32x16_fp8_bf8, SIM_ON_BOTH, 32, 16, 1, FP8, BF8, SIM_D16, "b64", 8, 8)               \
  X(f32_32x32x16_fp8_fp8, SIM_ON_BOTH, 32, 16, 1, FP8, FP8, SIM_D16, "b64", 8, 8)               \
  X(f32_16x16x128_f8f6f4, SIM_ON_GFX950, 16, 128, 1, BY_FORMAT, BY_FORMAT, SIM_D4, "any", 4, 4) \
  X(f32_32x32x64_f8f6f4, SIM_ON_GFX950, 32, 64, 1, BY_FORMAT, BY_FORMAT, SIM_D16, "any", 8, 8)

// These are of double precision. The 4x4x4 form takes 4 passes as LLVM schedules it (the CDNA4 manual's table
// says 8).
#define SIM_MFMA_F64(X)                                                     \
  X(f64_16x16x4_f64, SIM_ON_BOTH, 16, 4, 1, F64, F64, "b256", "b64", 8, 16) \
  X(f64_4x4x4_4b_f64, SIM_ON_BOTH, 4, 4, 4, F64, F64, "b64", "b64", 4, 4)

// Instructions with E8M0 scales: they have a 16-byte encoding and two more operands.
#define SIM_MFMA_SCALED(X)                                                                            \
  X(scale_f32_16x16x128_f8f6f4, SIM_ON_GFX950, 16, 128, 1, BY_FORMAT, BY_FORMAT, SIM_D4, "any", 4, 4) \
  X(scale_f32_32x32x64_f8f6f4, SIM_ON_GFX950, 32, 64, 1, BY_FORMAT, BY_FORMAT, SIM_D16, "any", 8, 8)

// Structured sparse (2 of 4): v_smfmac_*. k counts the dense depth.
// X(name, chips, m, k, blocks, A, B, D type, A type, B type, passes gfx942, passes gfx950)
#define SIM_MFMA_SPARSE(X)                                                                    \
  X(f32_16x16x32_f16, SIM_ON_BOTH, 16, 32, 1, F16, F16, SIM_D4, "b64", "b128", 4, 4)          \
  X(f32_32x32x16_f16, SIM_ON_BOTH, 32, 16, 1, F16, F16, SIM_D16, "b64", "b128", 8, 8)         \
  X(f32_16x16x32_bf16, SIM_ON_BOTH, 16, 32, 1, BF16, BF16, SIM_D4, "b64", "b128", 4, 4)       \
  X(f32_32x32x16_bf16, SIM_ON_BOTH, 32, 16, 1, BF16, BF16, SIM_D16, "b64", "b128", 8, 8)      \
  X(i32_16x16x64_i8, SIM_ON_BOTH, 16, 64, 1, I8, I8, SIM_D4, "b64", "b128", 4, 4)             \
  X(i32_32x32x32_i8, SIM_ON_BOTH, 32, 32, 1, I8, I8, SIM_D16, "b64", "b128", 8, 8)            \
  X(f32_16x16x64_bf8_bf8, SIM_ON_BOTH, 16, 64, 1, BF8, BF8, SIM_D4, "b64", "b128", 4, 4)      \
  X(f32_16x16x64_bf8_fp8, SIM_ON_BOTH, 16, 64, 1, BF8, FP8, SIM_D4, "b64", "b128", 4, 4)      \
  X(f32_16x16x64_fp8_bf8, SIM_ON_BOTH, 16, 64, 1, FP8, BF8, SIM_D4, "b64", "b128", 4, 4)      \
  X(f32_16x16x64_fp8_fp8, SIM_ON_BOTH, 16, 64, 1, FP8, FP8, SIM_D4, "b64", "b128", 4, 4)      \
  X(f32_32x32x32_bf8_bf8, SIM_ON_BOTH, 32, 32, 1, BF8, BF8, SIM_D16, "b64", "b128", 8, 8)     \
  X(f32_32x32x32_bf8_fp8, SIM_ON_BOTH, 32, 32, 1, BF8, FP8, SIM_D16, "b64", "b128", 8, 8)     \
  X(f32_32x32x32_fp8_bf8, SIM_ON_BOTH, 32, 32, 1, FP8, BF8, SIM_D16, "b64", "b128", 8, 8)     \
  X(f32_32x32x32_fp8_fp8, SIM_ON_BOTH, 32, 32, 1, FP8, FP8, SIM_D16, "b64", "b128", 8, 8)     \
  X(f32_16x16x128_bf8_bf8, SIM_ON_GFX950, 16, 128, 1, BF8, BF8, SIM_D4, "b128", "b256", 4, 4) \
  X(f32_16x16x128_bf8_fp8, SIM_ON_GFX950, 16, 128, 1, BF8, FP8, SIM_D4, "b128", "b256", 4, 4) \
  X(f32_16x16x128_fp8_bf8, SIM_ON_GFX950, 16, 128, 1, FP8, BF8, SIM_D4, "b128", "b256", 4, 4) \
  X(f32_16x16x128_fp8_fp8, SIM_ON_GFX950, 16, 128, 1, FP8, FP8, SIM_D4, "b128", "b256", 4, 4) \
  X(f32_16x16x64_f16, SIM_ON_GFX950, 16, 64, 1, F16, F16, SIM_D4, "b128", "b256", 4, 4)       \
  X(f32_32x32x32_f16, SIM_ON_GFX950, 32, 32, 1, F16, F16, SIM_D16, "b128", "b256", 8, 8)      \
  X(f32_16x16x64_bf16, SIM_ON_GFX950, 16, 64, 1, BF16, BF16, SIM_D4, "b128", "b256", 4, 4)    \
  X(f32_32x32x32_bf16, SIM_ON_GFX950, 32, 32, 1, BF16, BF16, SIM_D16, "b128", "b256", 8, 8)   \
  X(i32_16x16x128_i8, SIM_ON_GFX950, 16, 128, 1, I8, I8, SIM_D4, "b128", "b256", 4, 4)        \
  X(i32_32x32x64_i8, SIM_ON_GFX950, 32, 64, 1, I8, I8, SIM_D16, "b128", "b256", 8, 8)         \
  X(f32_32x32x64_bf8_bf8, SIM_ON_GFX950, 32, 64, 1, BF8, BF8, SIM_D16, "b128", "b256", 8, 8)  \
  X(f32_32x32x64_bf8_fp8, SIM_ON_GFX950, 32, 64, 1, BF8, FP8, SIM_D16, "b128", "b256", 8, 8)  \
  X(f32_32x32x64_fp8_bf8, SIM_ON_GFX950, 32, 64, 1, FP8, BF8, SIM_D16, "b128", "b256", 8, 8)  \
  X(f32_32x32x64_fp8_fp8, SIM_ON_GFX950, 32, 64, 1, FP8, FP8, SIM_D16, "b128", "b256", 8, 8)

#endif
