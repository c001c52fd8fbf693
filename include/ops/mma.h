// SPDX-License-Identifier: MIT
// A wave multiplies register tiles, C += A * B, where each of A and B may be stored transposed.
//
// scope: wave; operands: rt of operand or transposed operand for A and B, of accumulator or its transpose for
// C; leaves: none; waits: compiler, for pinned tiles the caller by release; LDS: none; registers: none;
// chips: both
#ifndef WT_OPS_MMA_H
#define WT_OPS_MMA_H

#include "../tiles/rt_pinned.h"
#include "isa/mfma_pinned.h"
#include "vector_part.h"

namespace wt {

// Returns the depth of the deepest instruction that a lane's share of a fragment fills once or several times,
// for operands of Rows rows; 0 when there is none.
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

// Returns elements From to From + Count - 1 of a lane's share of a fragment.
template <class T, int From, int Count, class Fragment>
WT_DEVICE registers<T, Count> part_of(Fragment fragment) {
  if constexpr (sizeof(fragment) == sizeof(registers<T, Count>)) {
    return __builtin_bit_cast(registers<T, Count>, fragment);
  } else {
    using part = registers<T, Count>;
    return vector_part<part, From * kBits<T> / (8 * static_cast<int>(sizeof(fragment[0])))>(fragment);
  }
}

// Says where fragment (I, J) of a tile is for inline assembly, from its register number From on.
template <class Tile, int I, int J, int From>
struct place_of {
  using type = register_place<register_kind::vgpr>;
};
template <register_file File, int First, class T, int Rows, int Columns, class Layout, int I, int J, int From>
struct place_of<rt_pinned<File, First, T, Rows, Columns, Layout>, I, J, From> {
  using tile = rt_pinned<File, First, T, Rows, Columns, Layout>;
  static constexpr int kFirst = tile::first(I, J);
  using type = register_place<tile::in_agprs(I, J) ? register_kind::agpr : register_kind::vgpr,
                              (kFirst == kAnyRegister ? kAnyRegister : kFirst + From)>;
};

// Says along what k lies in an operand's tile: A is m x k or k x m, B is n x k or k x n.
enum class k_along { columns, rows };

// The layout with k along the columns, however the tile is written down.
template <class Layout>
struct k_along_columns {
  using type = Layout;
  static constexpr k_along kIn = k_along::columns;  // in Layout itself
};
template <class Layout>
struct k_along_columns<transposed<Layout>> {
  using type = Layout;
  static constexpr k_along kIn = k_along::rows;
};

// Issues the MFMA that multiplies pa, rows of A, with pb, rows of B, and adds to fragment (I, J) of C. A C
// that is held transposed takes them in the other order: C^T = B^T * A^T. PlaceA and PlaceB say where the
// operands of a pinned C are.
template <class Ta, class Tb, int Depth, addend To, int I, int J, class PlaceA, class PlaceB, class C,
          class PartA, class PartB>
WT_DEVICE void mma_fragment(C &c, const PartA &pa, const PartB &pb) {
  static constexpr int kRows = k_along_columns<typename C::layout>::type::kRows;
  static constexpr bool kSwapped = !is_accumulator<typename C::layout>;
  if constexpr (is_pinned<C>) {
    using place_c = typename place_of<C, I, J, 0>::type;
    if constexpr (kSwapped) {
      mfma_pinned<Tb, Ta, kRows, kRows, Depth, place_c, PlaceB, PlaceA, To>(pb, pa, c.fragment[I][J]);
    } else {
      mfma_pinned<Ta, Tb, kRows, kRows, Depth, place_c, PlaceA, PlaceB, To>(pa, pb, c.fragment[I][J]);
    }
  } else {
    if constexpr (To == addend::zero) c.fragment[I][J] = {};  // this becomes part of the instruction
    if constexpr (kSwapped) {
      c.fragment[I][J] = mfma<Tb, Ta, kRows, kRows, Depth>(pb, pa, c.fragment[I][J]);
    } else {
      c.fragment[I][J] = mfma<Ta, Tb, kRows, kRows, Depth>(pa, pb, c.fragment[I][J]);
    }
  }
}

// Issues MFMA number Step of the product of fragment (IA, JA) of A and (IB, JB) of B, added to (I, J) of C.
// LayoutA and LayoutB have k along the columns.
template <class LayoutA, class LayoutB, int Step, addend To, int I, int J, int IA, int JA, int IB, int JB,
          class C, class A, class B>
WT_DEVICE void mma_step(C &c, const A &a, const B &b) {
  using ta = typename A::element;
  using tb = typename B::element;
  static constexpr int kRows = LayoutA::kRows, kDepth = mma_depth<ta, tb, kRows, LayoutA::kColumns>();
  static constexpr int kCount = mfma_operand_elements(kRows, kDepth), kFrom = Step * kCount * kBits<ta> / 32;
  using place_a = typename place_of<A, IA, JA, kFrom>::type;
  using place_b = typename place_of<B, IB, JB, kFrom>::type;
  if constexpr (LayoutA::kColumns == kDepth) {
    mma_fragment<ta, tb, kDepth, To, I, J, place_a, place_b>(c, a.fragment[IA][JA], b.fragment[IB][JB]);
  } else {
    mma_fragment<ta, tb, kDepth, To, I, J, place_a, place_b>(
        c, part_of<ta, Step * kCount, kCount>(a.fragment[IA][JA]),
        part_of<tb, Step * kCount, kCount>(b.fragment[IB][JB]));
  }
}

template <k_along OfA, k_along OfB, addend To = addend::accumulator, class C, class A, class B>
WT_DEVICE auto mma_list(C &c, const A &a, const B &b) {
  using la = typename k_along_columns<typename A::layout>::type;
  using lb = typename k_along_columns<typename B::layout>::type;
  using lc = typename C::layout;
  static_assert(is_operand<la> && is_operand<lb>,
                "mma multiplies tiles laid out as MFMA operands: load A and B into operand<...> tiles, or "
                "convert_layout");
  static_assert(is_accumulator<typename k_along_columns<lc>::type>,
                "mma adds to a tile laid out as an MFMA accumulator: use rt_c or rt_ct for C");
  static_assert(k_along_columns<typename A::layout>::kIn == OfA,
                "A is held the other way round: mma_AB and mma_ABt take operand<> for A, mma_AtB and "
                "mma_AtBt transposed<operand<>>");
  static_assert(k_along_columns<typename B::layout>::kIn == OfB,
                "B is held the other way round: mma_ABt and mma_AtBt take operand<> for B, mma_AB and "
                "mma_AtB transposed<operand<>>");
  static_assert(__is_same(typename C::element, sum_t<typename A::element>),
                "C has the wrong type: products of i8 are summed in i32, all others in f32");
  static_assert(is_pinned<C> || (!is_pinned<A> && !is_pinned<B>),
                "pinned operands need a pinned accumulator: make C an rt_agpr or rt_vgpr");
  static_assert(la::kRows == lb::kRows && la::kRows == lc::kRows,
                "A, B and C must be made of fragments of one size: all 16 or all 32 rows");
  static_assert(la::kColumns == lb::kColumns && la::kRun == lb::kRun,
                "A and B must hold k in the same order: give both the same operand<...> layout");
  static constexpr bool kMk = OfA == k_along::columns, kNk = OfB == k_along::columns;
  static constexpr int kM = kMk ? A::kTall : A::kWide, kK = kMk ? A::kWide : A::kTall;
  static constexpr int kN = kNk ? B::kTall : B::kWide, kKb = kNk ? B::kWide : B::kTall;
  static_assert(kK == kKb, "A and B differ in k: an m x k tile times a k x n tile");
  static_assert(kM == C::kTall && kN == C::kWide, "C is not m x n: its rows are A's m, its columns B's n");
  static constexpr int kDepth =
      mma_depth<typename A::element, typename B::element, la::kRows, la::kColumns>();
  static_assert(kDepth > 0, "no MFMA of this chip multiplies these two types: convert one of them");
  static constexpr int kSteps = kDepth > 0 ? la::kColumns / kDepth : 1;
  // k is outermost, so that consecutive MFMAs add to different accumulators.
  return list_of<kK * kSteps * kM * kN>([&](auto n) WT_INLINE {
    static constexpr int kJ = n % kN, kI = n / kN % kM, kStep = n / (kN * kM) % kSteps,
                         kDeep = n / (kN * kM * kSteps);
    static constexpr int kIa = kMk ? kI : kDeep, kJa = kMk ? kDeep : kI;
    static constexpr int kIb = kNk ? kJ : kDeep, kJb = kNk ? kDeep : kJ;
    static constexpr addend kTo = kStep == 0 && kDeep == 0 ? To : addend::accumulator;
    mma_step<la, lb, kStep, kTo, kI, kJ, kIa, kJa, kIb, kJb>(c, a, b);
  });
}

}  // namespace detail

// Return C (m x n) += A * B as a list of MFMAs. A is m x k, or k x m where the name says At; B is k x n, or n
// x k where the name says Bt. All four are the same instructions and differ in how the registers are read.
// mma_ABt_list<addend::zero> sets C to A * B, whatever it held, at no cost.
template <addend To = addend::accumulator, class C, class A, class B>
WT_DEVICE auto mma_ABt_list(C &c, const A &a, const B &b) {
  return detail::mma_list<detail::k_along::columns, detail::k_along::columns, To>(c, a, b);
}
template <class C, class A, class B>
WT_DEVICE auto mma_AB_list(C &c, const A &a, const B &b) {
  return detail::mma_list<detail::k_along::columns, detail::k_along::rows>(c, a, b);
}
template <class C, class A, class B>
WT_DEVICE auto mma_AtB_list(C &c, const A &a, const B &b) {
  return detail::mma_list<detail::k_along::rows, detail::k_along::rows>(c, a, b);
}
template <class C, class A, class B>
WT_DEVICE auto mma_AtBt_list(C &c, const A &a, const B &b) {
  return detail::mma_list<detail::k_along::rows, detail::k_along::columns>(c, a, b);
}

// Compute the same at once.
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

}  // namespace wt

#endif
