// SPDX-License-Identifier: MIT
// mfma<A, B, M, N, K, Blocks> is one dense matrix instruction, D = A * B + C. Its operand layouts are in
// tiles/layout.h, its cost in mfma_table.h.
#ifndef WT_OPS_ISA_MFMA_H
#define WT_OPS_ISA_MFMA_H

#include "mfma_table.h"

namespace wt {

// Holds when the chip that is compiled for has the instruction.
template <class A, class B, int M, int N, int K, int Blocks = 1>
constexpr bool has_mfma = has_mfma_on<target::kChip, A, B, M, N, K, Blocks>;

// These are the registers of one lane that hold an operand (A or B) of elements of T, and the sums.
template <class T, int Rows, int K, int Blocks = 1>
using mfma_operand = registers<T, mfma_operand_elements(Rows, K, Blocks)>;
template <class T, int M, int N, int Blocks = 1>
using mfma_result = registers<sum_t<T>, mfma_result_elements(M, N, Blocks)>;

namespace detail {

// These are the types that the builtins take where they are not those of the registers.
using i16x4 = short __attribute__((ext_vector_type(4)));
using f64x4 = f64 __attribute__((ext_vector_type(4)));

// This is the builtin behind a combination of types and shape. `operand` and `sum` are its parameter types.
template <class A, class B, int M, int N, int K, int Blocks>
struct mfma_builtin;

#define WT_MFMA(A, B, M, N, K, BLOCKS, OPERAND, SUM, NAME)    \
  template <>                                                 \
  struct mfma_builtin<A, B, M, N, K, BLOCKS> {                \
    using operand = OPERAND;                                  \
    using sum = SUM;                                          \
    static WT_DEVICE sum issue(operand a, operand b, sum c) { \
      return __builtin_amdgcn_mfma_##NAME(a, b, c, 0, 0, 0);  \
    }                                                         \
  };

WT_MFMA(f64, f64, 16, 16, 4, 1, f64, f64x4, f64_16x16x4f64)
WT_MFMA(f64, f64, 4, 4, 4, 4, f64, f64, f64_4x4x4f64)
WT_MFMA(f32, f32, 32, 32, 1, 2, f32, f32x32, f32_32x32x1f32)
WT_MFMA(f32, f32, 16, 16, 1, 4, f32, f32x16, f32_16x16x1f32)
WT_MFMA(f32, f32, 4, 4, 1, 16, f32, f32x4, f32_4x4x1f32)
WT_MFMA(f32, f32, 32, 32, 2, 1, f32, f32x16, f32_32x32x2f32)
WT_MFMA(f32, f32, 16, 16, 4, 1, f32, f32x4, f32_16x16x4f32)
WT_MFMA(xf32, xf32, 32, 32, 4, 1, f32x2, f32x16, f32_32x32x4_xf32)
WT_MFMA(xf32, xf32, 16, 16, 8, 1, f32x2, f32x4, f32_16x16x8_xf32)
WT_MFMA(f16, f16, 32, 32, 4, 2, f16x4, f32x32, f32_32x32x4f16)
WT_MFMA(f16, f16, 16, 16, 4, 4, f16x4, f32x16, f32_16x16x4f16)
WT_MFMA(f16, f16, 4, 4, 4, 16, f16x4, f32x4, f32_4x4x4f16)
WT_MFMA(f16, f16, 32, 32, 8, 1, f16x4, f32x16, f32_32x32x8f16)
WT_MFMA(f16, f16, 16, 16, 16, 1, f16x4, f32x4, f32_16x16x16f16)
WT_MFMA(f16, f16, 32, 32, 16, 1, f16x8, f32x16, f32_32x32x16_f16)
WT_MFMA(f16, f16, 16, 16, 32, 1, f16x8, f32x4, f32_16x16x32_f16)
WT_MFMA(bf16, bf16, 32, 32, 4, 2, i16x4, f32x32, f32_32x32x4bf16_1k)
WT_MFMA(bf16, bf16, 16, 16, 4, 4, i16x4, f32x16, f32_16x16x4bf16_1k)
WT_MFMA(bf16, bf16, 4, 4, 4, 16, i16x4, f32x4, f32_4x4x4bf16_1k)
WT_MFMA(bf16, bf16, 32, 32, 8, 1, i16x4, f32x16, f32_32x32x8bf16_1k)
WT_MFMA(bf16, bf16, 16, 16, 16, 1, i16x4, f32x4, f32_16x16x16bf16_1k)
WT_MFMA(bf16, bf16, 32, 32, 16, 1, bf16x8, f32x16, f32_32x32x16_bf16)
WT_MFMA(bf16, bf16, 16, 16, 32, 1, bf16x8, f32x4, f32_16x16x32_bf16)
WT_MFMA(i8, i8, 32, 32, 4, 2, int, i32x32, i32_32x32x4i8)
WT_MFMA(i8, i8, 16, 16, 4, 4, int, i32x16, i32_16x16x4i8)
WT_MFMA(i8, i8, 4, 4, 4, 16, int, i32x4, i32_4x4x4i8)
WT_MFMA(i8, i8, 32, 32, 16, 1, long, i32x16, i32_32x32x16_i8)
WT_MFMA(i8, i8, 16, 16, 32, 1, long, i32x4, i32_16x16x32_i8)
WT_MFMA(i8, i8, 32, 32, 32, 1, i32x4, i32x16, i32_32x32x32_i8)
WT_MFMA(i8, i8, 16, 16, 64, 1, i32x4, i32x4, i32_16x16x64_i8)
WT_MFMA(fp8e4m3, fp8e4m3, 32, 32, 16, 1, long, f32x16, f32_32x32x16_fp8_fp8)
WT_MFMA(fp8e4m3, fp8e5m2, 32, 32, 16, 1, long, f32x16, f32_32x32x16_fp8_bf8)
WT_MFMA(fp8e5m2, fp8e4m3, 32, 32, 16, 1, long, f32x16, f32_32x32x16_bf8_fp8)
WT_MFMA(fp8e5m2, fp8e5m2, 32, 32, 16, 1, long, f32x16, f32_32x32x16_bf8_bf8)
WT_MFMA(fp8e4m3, fp8e4m3, 16, 16, 32, 1, long, f32x4, f32_16x16x32_fp8_fp8)
WT_MFMA(fp8e4m3, fp8e5m2, 16, 16, 32, 1, long, f32x4, f32_16x16x32_fp8_bf8)
WT_MFMA(fp8e5m2, fp8e4m3, 16, 16, 32, 1, long, f32x4, f32_16x16x32_bf8_fp8)
WT_MFMA(fp8e5m2, fp8e5m2, 16, 16, 32, 1, long, f32x4, f32_16x16x32_bf8_bf8)
#undef WT_MFMA

// This is the number of a format in the f8f6f4 instructions: CBSZ has that of A, BLGP that of B (CDNA4 ISA
// chapter 7).
template <class T>
constexpr int kNarrowFormat = __is_same(T, fp8e4m3)   ? 0
                              : __is_same(T, fp8e5m2) ? 1
                              : __is_same(T, fp6e2m3) ? 2
                              : __is_same(T, fp6e3m2) ? 3
                                                      : 4;

// Their builtin takes eight dwords whatever the format; the compiler drops those that the format leaves
// unused.
template <class V>
WT_DEVICE i32x8 pad_operand(V v) {
  if constexpr (sizeof(V) == 32) {
    return __builtin_bit_cast(i32x8, v);
  } else if constexpr (sizeof(V) == 24) {
    return __builtin_bit_cast(i32x8, __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, -1, -1));
  } else {
    return __builtin_bit_cast(i32x8, __builtin_shufflevector(v, v, 0, 1, 2, 3, -1, -1, -1, -1));
  }
}

// Constant scales of 0 in both operands make the compiler choose the instruction without scales.
template <class A, class B, int M, int ByteA, int ByteB, class Sum>
WT_DEVICE Sum mfma_f8f6f4(i32x8 a, i32x8 b, Sum c, u32 scale_a, u32 scale_b) {
  if constexpr (M == 16) {
    return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a, b, c, kNarrowFormat<A>, kNarrowFormat<B>,
                                                            ByteA, static_cast<int>(scale_a), ByteB,
                                                            static_cast<int>(scale_b));
  } else {
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a, b, c, kNarrowFormat<A>, kNarrowFormat<B>, ByteA,
                                                           static_cast<int>(scale_a), ByteB,
                                                           static_cast<int>(scale_b));
  }
}

template <class A, class B, int K>
constexpr bool is_f8f6f4 = is_one_of<A, fp8e4m3, fp8e5m2, fp6e2m3, fp6e3m2, fp4e2m1> &&
                           mfma_inputs_of<A, B, K>() != mfma_inputs::fp8;

// Gives advice for a combination that this chip lacks.
template <class A, class B, int M, int N, int K, int Blocks>
constexpr bool check_mfma() {
  using target::chip;
  constexpr mfma_inputs kInputs = mfma_inputs_of<A, B, K>();
  constexpr bool kHere = has_mfma<A, B, M, N, K, Blocks>;
  constexpr bool k942 = has_mfma_on<chip::gfx942, A, B, M, N, K, Blocks>;
  constexpr bool k950 = has_mfma_on<chip::gfx950, A, B, M, N, K, Blocks>;
  static_assert(
      kInputs != mfma_inputs::none,
      "mfma multiplies f64, f32, xf32, f16, bf16 or i8 with their own kind, and 8-, 6- and 4-bit floats "
      "with each other: convert A or B");
  constexpr bool k16Bit = kInputs == mfma_inputs::f16 || kInputs == mfma_inputs::bf16;
  constexpr bool kOnly950 = k950 && !k942;
  static_assert(kHere || !(kOnly950 && k16Bit),
                "gfx942 has no f16 or bf16 MFMA this deep: use two of 16x16x16 or of 32x32x8");
  static_assert(kHere || !(kOnly950 && kInputs == mfma_inputs::i8),
                "gfx942 has no i8 MFMA this deep: use two of 16x16x32 or of 32x32x16");
  static_assert(kHere || !(kOnly950 && is_fp8<A> && is_fp8<B>),
                "gfx942 has no f8f6f4 MFMA: use four of 16x16x32 or of 32x32x16");
  static_assert(
      kHere || !(kOnly950 && is_narrow<A> && !(is_fp8<A> && is_fp8<B>)),
      "gfx942 multiplies no 6- or 4-bit floats: convert them to fp8e4m3 and use 16x16x32 or 32x32x16");
  static_assert(
      kHere || !(k942 && !k950),
      "gfx950 has no xf32 MFMA: use f32 16x16x4 or 32x32x2, or split each f32 into two or three bf16");
  constexpr bool kNowhere = kInputs != mfma_inputs::none && !k942 && !k950;
  static_assert(!(kNowhere && kInputs == mfma_inputs::f64),
                "f64 MFMA shapes are 16x16x4 and 4x4x4 of 4 blocks");
  static_assert(!(kNowhere && kInputs == mfma_inputs::f32),
                "f32 MFMA shapes are 16x16x4, 32x32x2, and 32x32x1, 16x16x1, 4x4x1 of 2, 4, 16 blocks");
  static_assert(!(kNowhere && kInputs == mfma_inputs::xf32), "xf32 MFMA shapes are 16x16x8 and 32x32x4");
  static_assert(!(kNowhere && k16Bit),
                "f16 and bf16 MFMA shapes are 16x16x16, 32x32x8, on gfx950 16x16x32, 32x32x16, and 32x32x4, "
                "16x16x4, 4x4x4 of 2, 4, 16 blocks");
  static_assert(
      !(kNowhere && kInputs == mfma_inputs::i8),
      "i8 MFMA shapes are 16x16x32, 32x32x16, on gfx950 16x16x64, 32x32x32, and 32x32x4, 16x16x4, 4x4x4 "
      "of 2, 4, 16 blocks");
  static_assert(
      !(kNowhere && is_narrow<A>),
      "MFMA shapes of 8-bit floats are 16x16x32 and 32x32x16; of all narrow floats, on gfx950, 16x16x128 "
      "and 32x32x64");
  return kHere;
}

}  // namespace detail

// Returns a * b + c, for each of Blocks independent triples of matrices: one v_mfma instruction. A
// combination that the chip lacks does not compile, and the message names the nearest one. The compiler
// inserts the wait states before the result is read.
//
// scope: wave; operands: operand_blocks or operand for A and B, accumulator for C; leaves: none; waits:
// compiler; LDS: none; registers: none; chips: both
template <class A, class B, int M, int N, int K, int Blocks = 1>
WT_DEVICE mfma_result<A, M, N, Blocks> mfma(mfma_operand<A, M, K, Blocks> a, mfma_operand<B, N, K, Blocks> b,
                                            mfma_result<A, M, N, Blocks> c) {
  if constexpr (!detail::check_mfma<A, B, M, N, K, Blocks>()) {
    return c;
  } else if constexpr (detail::is_f8f6f4<A, B, K>) {
    return detail::mfma_f8f6f4<A, B, M, 0, 0>(detail::pad_operand(a), detail::pad_operand(b), c, 0, 0);
  } else {
    using builtin = detail::mfma_builtin<A, B, M, N, K, Blocks>;
    using operand = typename builtin::operand;
    return __builtin_bit_cast(decltype(c),
                              builtin::issue(__builtin_bit_cast(operand, a), __builtin_bit_cast(operand, b),
                                             __builtin_bit_cast(typename builtin::sum, c)));
  }
}

// Returns the same with E8M0 scales, one per 32 consecutive k of a row of A and of a column of B (CDNA4 ISA
// chapter 7). In 16x16x128, lane l gives the scale of row l % 16 and k block l / 16; in 32x32x64, of row l %
// 32 and k block l / 32. The scale is byte number ByteA of scale_a, likewise for B. Two scales that are
// constant and 0 mean no scaling, not 2^-127.
//
// scope: wave; operands: operand for A and B, accumulator for C, a register of scales each; leaves: none;
// waits: compiler; LDS: none; registers: none; chips: gfx950
template <class A, class B, int M, int N, int K, int ByteA = 0, int ByteB = 0>
WT_DEVICE mfma_result<A, M, N> mfma_scaled(mfma_operand<A, M, K> a, mfma_operand<B, N, K> b,
                                           mfma_result<A, M, N> c, u32 scale_a, u32 scale_b) {
  static_assert(
      detail::is_f8f6f4<A, B, K>,
      "mfma_scaled multiplies narrow floats in 16x16x128 or 32x32x64: apply scales of other types to C");
  static_assert(ByteA >= 0 && ByteA < 4 && ByteB >= 0 && ByteB < 4,
                "a scale register holds bytes 0 to 3: choose ByteA and ByteB among them");
  if constexpr (detail::is_f8f6f4<A, B, K>) {
    if constexpr (detail::check_mfma<A, B, M, N, K, 1>()) {
      return detail::mfma_f8f6f4<A, B, M, ByteA, ByteB>(detail::pad_operand(a), detail::pad_operand(b), c,
                                                        scale_a, scale_b);
    }
  }
  return c;
}

}  // namespace wt

#endif
