// SPDX-License-Identifier: MIT
// A wave multiplies register tiles of 8-, 6- and 4-bit floats with block scales: C += A * B^T, where every 32
// columns of a row of A and of B have a scale (the MX formats, OCP Microscaling specification v1.0).
//
// scope: wave; operands: rt of scaled_operand or shuffled_operand for A and B, rs or rs_shuffled of each, rt
// of accumulator or its transpose for C; leaves: none; waits: compiler, for pinned tiles the caller by
// release; LDS: none; registers: none; chips: gfx950
#ifndef WT_OPS_MMA_SCALED_H
#define WT_OPS_MMA_SCALED_H

#include "../tiles/rs.h"
#include "mma.h"

namespace wt {

namespace detail {

// Returns whether both layouts bring the same columns to each k of each instruction.
template <class A, class LayoutA, class B, class LayoutB>
constexpr bool same_columns() {
  constexpr int kDepth = kScaledDepth<LayoutA::kRows>;
  for (int q = 0; q < LayoutA::kColumns; ++q) {
    if (scaled_column<A, LayoutA>(q / kDepth, q % kDepth) !=
        scaled_column<B, LayoutB>(q / kDepth, q % kDepth)) {
      return false;
    }
  }
  return true;
}

// Says which operand an MFMA takes first: A, or B for a C that is held transposed (C^T = B^T * A^T).
enum class first_operand { a, b };

// Issues MFMA number Step of fragments (I, Deep) of A and (J, Deep) of B, added to (I, J) of C.
template <int Step, first_operand First, addend To, int I, int J, int Deep, class C, class A, class ScaleA,
          class B, class ScaleB>
WT_DEVICE void mma_scaled_step(C &c, const A &a, const ScaleA &scale_a, const B &b, const ScaleB &scale_b) {
  using ta = typename A::element;
  using tb = typename B::element;
  static constexpr int kRows = A::layout::kRows, kDepth = kScaledDepth<kRows>;
  const auto pa = part_of<ta, Step * kScaleBlock, kScaleBlock>(a.fragment[I][Deep]);
  const auto pb = part_of<tb, Step * kScaleBlock, kScaleBlock>(b.fragment[J][Deep]);
  static constexpr int kByteA = ScaleA::byte(I, Step), kByteB = ScaleB::byte(J, Step);
  const u32 sa = scale_a.template of<I, Deep, Step>(), sb = scale_b.template of<J, Deep, Step>();
  auto &pc = c.fragment[I][J];
  if constexpr (is_pinned<C>) {
    using place_c = typename place_of<C, I, J, 0>::type;
    using place = register_place<register_kind::vgpr>;
    if constexpr (First == first_operand::b) {
      mfma_scaled_pinned<tb, ta, kRows, kRows, kDepth, kByteB, kByteA, place_c, place, place, To>(pb, pa, pc,
                                                                                                  sb, sa);
    } else {
      mfma_scaled_pinned<ta, tb, kRows, kRows, kDepth, kByteA, kByteB, place_c, place, place, To>(pa, pb, pc,
                                                                                                  sa, sb);
    }
  } else {
    if constexpr (To == addend::zero) pc = {};  // this becomes part of the instruction
    if constexpr (First == first_operand::b) {
      pc = mfma_scaled<tb, ta, kRows, kRows, kDepth, kByteB, kByteA>(pb, pa, pc, sb, sa);
    } else {
      pc = mfma_scaled<ta, tb, kRows, kRows, kDepth, kByteA, kByteB>(pa, pb, pc, sa, sb);
    }
  }
}

}  // namespace detail

// Returns C (m x n) += A (m x k) * B (n x k)^T with the scales of both as a list of MFMAs. A and B may differ
// in type. Added to zero, the product replaces C, whatever it held, at no cost.
template <addend To = addend::accumulator, class C, class A, scales_for<A> ScaleA, class B,
          scales_for<B> ScaleB>
WT_DEVICE auto mma_ABt_list(C &c, const A &a, const ScaleA &scale_a, const B &b, const ScaleB &scale_b) {
  using ta = typename A::element;
  using tb = typename B::element;
  using la = typename A::layout;
  using lb = typename B::layout;
  using lc = typename C::layout;
  static_assert(target::kGfx950,
                "gfx942 has no MFMA with block scales (MXFP8, MXFP6, MXFP4): convert to bf16, or scale the "
                "sums of fp8 yourself");
  static_assert(is_accumulator<typename detail::k_along_columns<lc>::type>,
                "mma adds to a tile laid out as an MFMA accumulator: use rt_c or rt_ct for C");
  static_assert(!is_pinned<A> && !is_pinned<B>,
                "products with block scales take operands that are not pinned");
  static_assert(la::kRows == lb::kRows && la::kRows == lc::kRows,
                "A, B and C must be made of fragments of one size: all 16 or all 32 rows");
  static_assert(la::kColumns == lb::kColumns && detail::same_columns<ta, la, tb, lb>(),
                "A and B must bring the same columns to each instruction: give both a scaled_operand of the "
                "same depth");
  static_assert(A::kWide == B::kWide, "A and B differ in k: an m x k tile times an n x k tile");
  static_assert(A::kTall == C::kTall && B::kTall == C::kWide,
                "C is not m x n: its rows are A's rows, its columns B's rows");
  static constexpr int kM = A::kTall, kN = B::kTall, kSteps = ScaleA::kSteps;
  static constexpr auto kFirst = is_accumulator<lc> ? detail::first_operand::a : detail::first_operand::b;
  // k is outermost, so that consecutive MFMAs add to different accumulators.
  return list_of<A::kWide * kSteps * kM * kN>([&](auto n) WT_INLINE {
    static constexpr int kJ = n % kN, kI = n / kN % kM, kStep = n / (kN * kM) % kSteps,
                         kDeep = n / (kN * kM * kSteps);
    if constexpr (target::kGfx950) {
      static constexpr addend kTo = kStep == 0 && kDeep == 0 ? To : addend::accumulator;
      detail::mma_scaled_step<kStep, kFirst, kTo, kI, kJ, kDeep>(c, a, scale_a, b, scale_b);
    }
  });
}

// Computes the same at once.
template <class C, class A, scales_for<A> ScaleA, class B, scales_for<B> ScaleB>
WT_DEVICE void mma_ABt(C &c, const A &a, const ScaleA &scale_a, const B &b, const ScaleB &scale_b) {
  issue_all(mma_ABt_list(c, a, scale_a, b, scale_b));
}

}  // namespace wt

#endif
