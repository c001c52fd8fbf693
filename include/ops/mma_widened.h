// SPDX-License-Identifier: MIT
// A wave multiplies a register tile of bf16 by one of 4-bit floats with block scales: C += A * B^T. The
// matrix core takes no two operands of such types, so that B is widened to bf16 in registers, which is exact.
//
// scope: wave; operands: rt of scaled_operand for A and B, rs of B, rt of accumulator or its transpose for C;
// leaves: none; waits: compiler, for pinned tiles the caller by release; LDS: none; registers: those of B
// widened; chips: gfx950
#ifndef WT_OPS_MMA_WIDENED_H
#define WT_OPS_MMA_WIDENED_H

#include "../tiles/rs.h"
#include "isa/convert_mx.h"
#include "isa/forget.h"
#include "isa/sync.h"
#include "mma.h"

namespace wt {

// This is B, an rt of 4-bit floats, widened to bf16: eight numbers of each lane for each MFMA that takes
// them.
template <class B>
struct rt_widened {
  using narrow = B;
  static constexpr int kParts = B::layout::kElements / 8;
  bf16x8 part[B::kTall][B::kWide][kParts];
};

namespace detail {

// Returns byte Byte of a register of E8M0 scales as conversions take a scale: only the exponent counts.
template <int Byte>
WT_DEVICE float scale_exponent(u32 scales) {
  static constexpr int kPlace = 23 - 8 * Byte;  // of an f32's exponent, as seen from the byte
  return __builtin_bit_cast(float, kPlace >= 0 ? scales << (kPlace & 31) : scales >> (-kPlace & 31));
}

// Widens eight numbers of each lane, from number 8 * Part on, of fragment (J, Deep) of B.
template <int J, int Deep, int Part, class B, class ScaleB>
WT_DEVICE void widen(rt_widened<B> &to, const B &b, const ScaleB &scale_b) {
  static constexpr int kStep = 8 * Part / kScaleBlock;
  const float scale = scale_exponent<ScaleB::byte(J, kStep)>(scale_b.template of<J, Deep, kStep>());
  bf16x8 &part = to.part[J][Deep][Part];
  part = mx_to_bf16(b.fragment[J][Deep][Part], scale);
  if constexpr (8 * Part % kScaleBlock == 0) {
    // The manual does not say what the conversion makes of the scale NaN. Two NaNs of a block do for its
    // sums.
    static constexpr u32 kTwoNans = 0x7fc07fc0;
    auto words = __builtin_bit_cast(u32x4, part);
    words[0] = mx_scale_is_nan(scale) ? kTwoNans : words[0];
    part = __builtin_bit_cast(bf16x8, words);
  }
  forget(part);  // here, and not where it is multiplied
}

// Issues the MFMA that multiplies these numbers with those of fragment (I, Deep) of A.
template <int I, int J, int Deep, int Part, addend To, class C, class A, class B>
WT_DEVICE void mma_widened_step(C &c, const A &a, const rt_widened<B> &b) {
  static constexpr int kDepth = 8 * target::kWaveLanes / A::layout::kRows;
  using place = register_place<register_kind::vgpr>;
  mma_fragment<bf16, bf16, kDepth, To, I, J, place, place>(c, part_of<bf16, 8 * Part, 8>(a.fragment[I][Deep]),
                                                           b.part[J][Deep][Part]);
}

// Refuses tiles that cannot be multiplied so.
template <class C, class A, class B>
WT_DEVICE constexpr void check_widened() {
  using la = typename A::layout;
  using lc = typename C::layout;
  static_assert(target::kGfx950, "gfx942 has no conversions with a scale: convert B to bf16 beforehand");
  static_assert(__is_same(typename A::element, bf16) && is_fp4<typename B::element>,
                "B is widened where it is fp4e2m1 and A is bf16: give other types scales on both sides");
  static_assert(is_accumulator<typename k_along_columns<lc>::type>,
                "mma adds to a tile laid out as an MFMA accumulator: use rt_c or rt_ct for C");
  static_assert(!is_pinned<A> && !is_pinned<B>, "this product takes operands that are not pinned");
  static_assert(
      __is_same(la, typename B::layout) && la::kRows == lc::kRows,
      "a lane must hold the same columns of A and of B: give both a scaled_operand of one size, and "
      "C fragments of as many rows");
  static_assert(A::kWide == B::kWide, "A and B differ in k: an m x k tile times an n x k tile");
  static_assert(A::kTall == C::kTall && B::kTall == C::kWide,
                "C is not m x n: its rows are A's rows, its columns B's rows");
}

// Describes the MFMAs of a product, in groups: one for each fragment of A below each other. Group n
// multiplies part part(n) of fragment (j(n), deep(n)) of B.
template <addend To, class C, class A, class B>
struct widened_groups {
  static constexpr int kN = B::kTall, kParts = rt_widened<B>::kParts, kCount = A::kWide * kParts * kN;
  static constexpr int j(int n) { return n % kN; }
  static constexpr int part(int n) { return n / kN % kParts; }
  static constexpr int deep(int n) { return n / (kN * kParts); }

  template <int N, int I>
  WT_DEVICE static void multiply(C &c, const A &a, const rt_widened<B> &b) {
    static constexpr addend kTo = part(N) == 0 && deep(N) == 0 ? To : addend::accumulator;
    mma_widened_step<I, j(N), deep(N), part(N), kTo>(c, a, b);
  }
  // Does so behind the first instruction of a group with what the next group takes, so that the matrix core
  // has work meanwhile. The compiler inserts no wait states in front of MFMAs with pinned sums: two of them
  // must have passed since a vector instruction wrote an operand (CDNA4 ISA, table 38).
  template <int N, class ScaleB>
  WT_DEVICE static void widen_and_multiply(C &c, const A &a, const B &b, const ScaleB &scale_b,
                                           rt_widened<B> &wide) {
    if constexpr (N == 0) {
      widen<j(0), deep(0), part(0)>(wide, b, scale_b);
      if constexpr (is_pinned<C>) s_nop<1>();
    }
    multiply<N, 0>(c, a, wide);
    sched_barrier();
    if constexpr (N + 1 < kCount) widen<j(N + 1), deep(N + 1), part(N + 1)>(wide, b, scale_b);
    unrolled<A::kTall - 1>([&](auto i) WT_INLINE { multiply<N, i + 1>(c, a, wide); });
    static constexpr int kStates = 2 - (A::kTall - 1);
    if constexpr (is_pinned<C> && N + 1 < kCount && kStates > 0) s_nop<(kStates > 0 ? kStates - 1 : 0)>();
  }
};

}  // namespace detail

// Returns C (m x n) += A (m x k) * B (n x k)^T with the scales of B as a list of groups of MFMAs, and leaves
// B widened in `wide`: each group widens what the next one takes of B. Added to zero, the product replaces C,
// whatever it held, at no cost.
template <addend To = addend::accumulator, class C, class A, class B, scales_for<B> ScaleB>
WT_DEVICE auto mma_ABt_list(C &c, const A &a, const B &b, const ScaleB &scale_b, rt_widened<B> &wide) {
  detail::check_widened<C, A, B>();
  using groups = detail::widened_groups<To, C, A, B>;
  return list_of<groups::kCount>([&](auto n) WT_INLINE {
    if constexpr (target::kGfx950) groups::template widen_and_multiply<n.value>(c, a, b, scale_b, wide);
  });
}

// Returns the same for B that such a list has left widened.
template <addend To = addend::accumulator, class C, class A, class B>
WT_DEVICE auto mma_ABt_list(C &c, const A &a, const rt_widened<B> &wide) {
  detail::check_widened<C, A, B>();
  using groups = detail::widened_groups<To, C, A, B>;
  return list_of<groups::kCount>([&](auto n) WT_INLINE {
    if constexpr (target::kGfx950)
      unrolled<A::kTall>([&](auto i) WT_INLINE { groups::template multiply<n.value, i.value>(c, a, wide); });
  });
}

// Computes the first of them at once.
template <class C, class A, class B, scales_for<B> ScaleB>
WT_DEVICE void mma_ABt(C &c, const A &a, const B &b, const ScaleB &scale_b) {
  rt_widened<B> wide;
  issue_all(mma_ABt_list(c, a, b, scale_b, wide));
}

}  // namespace wt

#endif
