// SPDX-License-Identifier: MIT
// mma: a wave multiplies register tiles, C += A * B, each of A and B stored either way round.
#ifndef WT_OPS_MMA_RT_H
#define WT_OPS_MMA_RT_H

#include "../tiles/rt_agpr.h"
#include "isa/mfma_agpr.h"
#include "list.h"

namespace wt {

// The deepest instruction that a lane's share of a fragment fills once or several times, for operands of Rows
// rows. 0: there is none.
template <class A, class B, int Rows, int Depth>
constexpr int mma_depth() {
  if constexpr (has_mfma<A, B, Rows, Rows, Depth>) {
    return Depth;
  } else if constexpr (Depth % 2 == 0 && Depth > 1) {
    return mma_depth<A, B, Rows, Depth / 2>();
  } else {
    return 0;
  }
}

namespace detail {

// Elements From .. From + Count - 1 of a lane's share of a fragment.
template <class T, int From, int Count, class Fragment>
WT_DEVICE registers<T, Count> part_of(Fragment fragment) {
  if constexpr (sizeof(fragment) == sizeof(registers<T, Count>)) {
    return __builtin_bit_cast(registers<T, Count>, fragment);
  } else {
    registers<T, Count> part;
    constexpr int kEach = sizeof(fragment) / sizeof(fragment[0]);  // storage elements per fragment
    constexpr int kPart = sizeof(part) / sizeof(part[0]);
    constexpr int kFirst = From * kBits<T> / (8 * static_cast<int>(sizeof(fragment[0])));
    static_assert(kFirst + kPart <= kEach);
    unrolled<kPart>([&](auto i) WT_INLINE { part[i.value] = fragment[kFirst + i]; });
    return part;
  }
}

// MFMA number Step of the two fragments' product. With Swapped, C is held transposed: C^T = B^T * A^T.
template <class A, class B, class LayoutA, class LayoutB, int Step, bool Swapped, bool Pinned, class C>
WT_DEVICE void mma_step(C &c, registers<A, LayoutA::kElements> a, registers<B, LayoutB::kElements> b) {
  constexpr int kRows = LayoutA::kRows, kDepth = mma_depth<A, B, kRows, LayoutA::kColumns>();
  constexpr int kCount = mfma_operand_elements(kRows, kDepth);
  const auto pa = part_of<A, Step * kCount, kCount>(a);
  const auto pb = part_of<B, Step * kCount, kCount>(b);
  if constexpr (Pinned && Swapped) {
    mfma_agpr<B, A, kRows, kRows, kDepth>(pb, pa, c);
  } else if constexpr (Pinned) {
    mfma_agpr<A, B, kRows, kRows, kDepth>(pa, pb, c);
  } else if constexpr (Swapped) {
    c = mfma<B, A, kRows, kRows, kDepth>(pb, pa, c);
  } else {
    c = mfma<A, B, kRows, kRows, kDepth>(pa, pb, c);
  }
}

// The layout with k along the columns, however the tile is written down.
template <class Layout>
struct k_along_columns {
  using type = Layout;
  static constexpr bool kTransposed = false;
};
template <class Layout>
struct k_along_columns<transposed<Layout>> {
  using type = Layout;
  static constexpr bool kTransposed = true;
};

// The fragment of rows I and k K, of a tile that holds k along its rows when it is transposed.
template <bool Transposed, int I, int K, class Tile>
WT_DEVICE const auto &fragment_of(const Tile &tile) {
  if constexpr (Transposed) {
    return tile.fragment[K][I];
  } else {
    return tile.fragment[I][K];
  }
}

template <bool TransposedA, bool TransposedB, class C, class A, class B>
WT_DEVICE auto mma_list(C &c, const A &a, const B &b) {
  using la = typename k_along_columns<typename A::layout>::type;
  using lb = typename k_along_columns<typename B::layout>::type;
  using lc = typename C::layout;
  constexpr bool kSwapped = !is_accumulator<lc>;
  static_assert(is_operand<la> && is_operand<lb>,
                "mma multiplies tiles laid out as MFMA operands: load A and B into operand<...> tiles, or "
                "convert_layout");
  static_assert(is_accumulator<typename k_along_columns<lc>::type>,
                "mma adds to a tile laid out as an MFMA accumulator: use rt_c or rt_ct for C");
  static_assert(k_along_columns<typename A::layout>::kTransposed == TransposedA,
                "A is held the other way round: mma_AB and mma_ABt take operand<> for A, mma_AtB and "
                "mma_AtBt transposed<operand<>>");
  static_assert(k_along_columns<typename B::layout>::kTransposed != TransposedB,
                "B is held the other way round: mma_ABt and mma_AtBt take operand<> for B, mma_AB and "
                "mma_AtB transposed<operand<>>");
  static_assert(__is_same(typename C::element, sum_t<typename A::element>),
                "C has the wrong type: products of i8 are summed in i32, all others in f32");
  static_assert(la::kRows == lb::kRows && la::kRows == lc::kRows,
                "A, B and C must be made of fragments of one size: all 16 or all 32 rows");
  static_assert(la::kColumns == lb::kColumns && la::kRun == lb::kRun,
                "A and B must hold k in the same order: give both the same operand<...> layout");
  constexpr int kM = TransposedA ? A::kWide : A::kTall, kK = TransposedA ? A::kTall : A::kWide;
  constexpr int kN = TransposedB ? B::kTall : B::kWide, kKb = TransposedB ? B::kWide : B::kTall;
  static_assert(kK == kKb, "A and B differ in k: an m x k tile times a k x n tile");
  static_assert(kM == C::kTall && kN == C::kWide, "C is not m x n: its rows are A's m, its columns B's n");
  constexpr int kDepth = mma_depth<typename A::element, typename B::element, la::kRows, la::kColumns>();
  static_assert(kDepth > 0, "no MFMA of this chip multiplies these two types: convert one of them");
  constexpr int kSteps = kDepth > 0 ? la::kColumns / kDepth : 1;
  // k outermost: consecutive MFMAs add to different accumulators.
  return list_of<kK * kSteps * kM * kN>([&](auto n) WT_INLINE {
    constexpr int kJ = n % kN, kI = n / kN % kM, kStep = n / (kN * kM) % kSteps,
                  kDeep = n / (kN * kM * kSteps);
    const auto &fa = fragment_of<TransposedA, kI, kDeep>(a);
    const auto &fb = fragment_of<!TransposedB, kJ, kDeep>(b);
    mma_step<typename A::element, typename B::element, la, lb, kStep, kSwapped, is_pinned<C>>(
        c.fragment[kI][kJ], fa, fb);
  });
}

}  // namespace detail

// C (m x n) += A * B as a list of MFMAs: A is m x k, or k x m where its name says At; B is k x n, or n x k
// where it says Bt. All four are the same instructions: what differs is how the registers are read.
template <class C, class A, class B>
WT_DEVICE auto mma_ABt_list(C &c, const A &a, const B &b) {
  return detail::mma_list<false, true>(c, a, b);
}
template <class C, class A, class B>
WT_DEVICE auto mma_AB_list(C &c, const A &a, const B &b) {
  return detail::mma_list<false, false>(c, a, b);
}
template <class C, class A, class B>
WT_DEVICE auto mma_AtB_list(C &c, const A &a, const B &b) {
  return detail::mma_list<true, false>(c, a, b);
}
template <class C, class A, class B>
WT_DEVICE auto mma_AtBt_list(C &c, const A &a, const B &b) {
  return detail::mma_list<true, true>(c, a, b);
}

// The same, at once.
template <class C, class A, class B>
WT_DEVICE void mma_ABt(C &c, const A &a, const B &b) {
  issue_all(mma_ABt_list(c, a, b));
}
template <class C, class A, class B>
WT_DEVICE void mma_AB(C &c, const A &a, const B &b) {
  issue_all(mma_AB_list(c, a, b));
}
template <class C, class A, class B>
WT_DEVICE void mma_AtB(C &c, const A &a, const B &b) {
  issue_all(mma_AtB_list(c, a, b));
}
template <class C, class A, class B>
WT_DEVICE void mma_AtBt(C &c, const A &a, const B &b) {
  issue_all(mma_AtBt_list(c, a, b));
}

template <class T, int M, int N, class L>
WT_DEVICE void zero(rt_agpr<T, M, N, L> &c) {
  using tile = rt_agpr<T, M, N, L>;
  unrolled<tile::kTall * tile::kWide>(
      [&](auto n) WT_INLINE { zero_agpr(c.fragment[n / tile::kWide][n % tile::kWide]); });
}

// Keeps a pinned tile in its registers where control flow joins: no instruction. Needed after an `if` that
// changes the tile in one branch only.
template <class T, int M, int N, class L>
WT_DEVICE void keep(rt_agpr<T, M, N, L> &c) {
  using tile = rt_agpr<T, M, N, L>;
  unrolled<tile::kTall * tile::kWide>(
      [&](auto n) WT_INLINE { keep_agpr(c.fragment[n / tile::kWide][n % tile::kWide]); });
}
// Other tiles are the compiler's.
template <class T, int M, int N, class L>
WT_DEVICE void keep(rt<T, M, N, L> &) {}

// The pinned tile's values for use by everything else, when the last MFMA on it has been issued.
template <class T, int M, int N, class L>
WT_DEVICE rt<T, M, N, L> release(rt_agpr<T, M, N, L> &c) {
  using tile = rt_agpr<T, M, N, L>;
  rt<T, M, N, L> free;
  mfma_result_wait();
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    constexpr int kI = n / tile::kWide, kJ = n % tile::kWide;
    keep_agpr(c.fragment[kI][kJ]);
    free.fragment[kI][kJ] = c.fragment[kI][kJ];
  });
  return free;
}
// A tile that is not pinned may be used as it is.
template <class T, int M, int N, class L>
WT_DEVICE const rt<T, M, N, L> &release(const rt<T, M, N, L> &c) {
  return c;
}

}  // namespace wt

#endif
