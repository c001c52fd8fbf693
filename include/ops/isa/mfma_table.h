// SPDX-License-Identifier: MIT
// This header has every dense MFMA instruction of both chips as data: operand types, shape, blocks and
// passes. Waits, pictures and tests are derived from it; ops/isa/mfma.h issues the instructions.
#ifndef WT_OPS_ISA_MFMA_TABLE_H
#define WT_OPS_ISA_MFMA_TABLE_H

#include "../../tiles/types.h"

namespace wt {

// These are element types that only matrix instructions know. xf32 is an f32 whose products are taken with 10
// mantissa bits.
using f64 = double;
struct xf32 {
  float value;
};
template <>
struct sum_of<f64> {
  using type = f64;
};
template <int N>
struct registers_of<f64, N> {
  using type = f64 __attribute__((ext_vector_type(N)));
};
template <int N>
struct registers_of<xf32, N> {
  using type = f32 __attribute__((ext_vector_type(N)));
};

// This is what an instruction multiplies. fp8 stands for E4M3 and E5M2, mixed as you like; narrow8 and narrow
// stand for the f8f6f4 instructions, with at least one 8-bit operand and without.
enum class mfma_inputs { none, f64, f32, xf32, f16, bf16, i8, fp8, narrow8, narrow };

// This is one instruction: D (M x N) = A (M x K) * B (K x N) + C, for each of `blocks` independent triples.
// One pass is 4 cycles; 0 passes say that the chip has no such instruction.
struct mfma_row {
  mfma_inputs inputs;
  int m, n, k, blocks;
  int passes_gfx942, passes_gfx950;
  constexpr int passes(target::chip chip) const {
    return chip == target::chip::gfx942 ? passes_gfx942 : passes_gfx950;
  }
};

// These are all dense MFMA instructions. The passes of gfx950 are from CDNA4 ISA chapter 7 and LLVM 22's
// scheduling model, those of gfx942 from AMD's matrix instruction calculator. f64 4x4x4 on gfx950 has 8
// passes in the ISA document and 4 in LLVM; the larger number is safe for waits.
constexpr mfma_row kMfmaTable[] = {
    {mfma_inputs::f64, 16, 16, 4, 1, 8, 16},      {mfma_inputs::f64, 4, 4, 4, 4, 4, 8},
    {mfma_inputs::f32, 32, 32, 1, 2, 16, 16},     {mfma_inputs::f32, 16, 16, 1, 4, 8, 8},
    {mfma_inputs::f32, 4, 4, 1, 16, 2, 2},        {mfma_inputs::f32, 32, 32, 2, 1, 16, 16},
    {mfma_inputs::f32, 16, 16, 4, 1, 8, 8},       {mfma_inputs::xf32, 32, 32, 4, 1, 8, 0},
    {mfma_inputs::xf32, 16, 16, 8, 1, 4, 0},      {mfma_inputs::f16, 32, 32, 4, 2, 16, 16},
    {mfma_inputs::f16, 16, 16, 4, 4, 8, 8},       {mfma_inputs::f16, 4, 4, 4, 16, 2, 2},
    {mfma_inputs::f16, 32, 32, 8, 1, 8, 8},       {mfma_inputs::f16, 16, 16, 16, 1, 4, 4},
    {mfma_inputs::f16, 32, 32, 16, 1, 0, 8},      {mfma_inputs::f16, 16, 16, 32, 1, 0, 4},
    {mfma_inputs::bf16, 32, 32, 4, 2, 16, 16},    {mfma_inputs::bf16, 16, 16, 4, 4, 8, 8},
    {mfma_inputs::bf16, 4, 4, 4, 16, 2, 2},       {mfma_inputs::bf16, 32, 32, 8, 1, 8, 8},
    {mfma_inputs::bf16, 16, 16, 16, 1, 4, 4},     {mfma_inputs::bf16, 32, 32, 16, 1, 0, 8},
    {mfma_inputs::bf16, 16, 16, 32, 1, 0, 4},     {mfma_inputs::i8, 32, 32, 4, 2, 16, 16},
    {mfma_inputs::i8, 16, 16, 4, 4, 8, 8},        {mfma_inputs::i8, 4, 4, 4, 16, 2, 2},
    {mfma_inputs::i8, 32, 32, 16, 1, 8, 8},       {mfma_inputs::i8, 16, 16, 32, 1, 4, 4},
    {mfma_inputs::i8, 32, 32, 32, 1, 0, 8},       {mfma_inputs::i8, 16, 16, 64, 1, 0, 4},
    {mfma_inputs::fp8, 32, 32, 16, 1, 8, 8},      {mfma_inputs::fp8, 16, 16, 32, 1, 4, 4},
    {mfma_inputs::narrow8, 32, 32, 64, 1, 0, 16}, {mfma_inputs::narrow8, 16, 16, 128, 1, 0, 8},
    {mfma_inputs::narrow, 32, 32, 64, 1, 0, 8},   {mfma_inputs::narrow, 16, 16, 128, 1, 0, 4},
};

// Holds for floats of 8, 6 and 4 bits.
template <class T>
constexpr bool is_narrow = is_fp8<T> || is_fp6<T> || is_fp4<T>;

// Returns which rows of the table an A of type A and a B of type B may use, K deep; `none` if no instruction
// multiplies the two.
template <class A, class B, int K>
constexpr mfma_inputs mfma_inputs_of() {
  if constexpr (is_narrow<A> && is_narrow<B>) {
    if (is_fp8<A> && is_fp8<B> && K < 64) return mfma_inputs::fp8;
    return is_fp8<A> || is_fp8<B> ? mfma_inputs::narrow8 : mfma_inputs::narrow;
  } else if constexpr (!__is_same(A, B)) {
    return mfma_inputs::none;
  } else {
    return __is_same(A, f64)    ? mfma_inputs::f64
           : __is_same(A, f32)  ? mfma_inputs::f32
           : __is_same(A, xf32) ? mfma_inputs::xf32
           : __is_same(A, f16)  ? mfma_inputs::f16
           : __is_same(A, bf16) ? mfma_inputs::bf16
           : __is_same(A, i8)   ? mfma_inputs::i8
                                : mfma_inputs::none;
  }
}

// Returns the passes of the instruction on a chip, or 0 if the chip has no such instruction.
template <class A, class B, int M, int N, int K, int Blocks = 1>
constexpr int mfma_passes(target::chip chip) {
  for (const mfma_row &row : kMfmaTable) {
    if (row.inputs == mfma_inputs_of<A, B, K>() && row.m == M && row.n == N && row.k == K &&
        row.blocks == Blocks) {
      return row.passes(chip);
    }
  }
  return 0;
}

// Holds when Chip has the instruction.
template <target::chip Chip, class A, class B, int M, int N, int K, int Blocks = 1>
constexpr bool has_mfma_on = mfma_passes<A, B, M, N, K, Blocks>(Chip) > 0;

// Return the elements per lane of A (rows = M) or B (rows = N), and of C and D.
constexpr int mfma_operand_elements(int rows, int k, int blocks = 1) {
  return rows * k * blocks / target::kWaveLanes;
}
constexpr int mfma_result_elements(int m, int n, int blocks = 1) {
  return m * n * blocks / target::kWaveLanes;
}

}  // namespace wt

#endif
