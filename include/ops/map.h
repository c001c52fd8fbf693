// SPDX-License-Identifier: MIT
// This header applies one function to whole tiles and vectors: element types are widened to f32 (or remain
// i32), the function works on whole register vectors, and the result is rounded once.
//
// scope: wave; operands: rt or rv like the destination, or numbers; leaves: none; waits: nobody; LDS: none;
// registers: none; chips: both
#ifndef WT_OPS_MAP_H
#define WT_OPS_MAP_H

#include "../tiles/rv.h"
#include "list.h"

namespace wt {

namespace detail {

// Names the type that elements of T are computed in.
template <class T>
struct compute_of {
  static_assert(is_one_of<T, f32, f16, bf16>,
                "maps compute on f32, f16, bf16 and i32: convert tiles of narrower types to f32 first");
  using type = f32;
};
template <>
struct compute_of<i32> {
  using type = i32;
};
template <class T>
using compute_t = typename compute_of<T>::type;

// Widens f16 and bf16 to f32, exactly, and narrows them back with one rounding, to nearest even.
template <class C, class T, int N>
WT_DEVICE vector<C, N> widened(vector<T, N> values) {
  static_assert(__is_same(compute_t<T>, C),
                "integer and floating-point tiles do not mix in a map: convert one of them first");
  return __builtin_convertvector(values, vector<C, N>);
}
template <class T, class C, int N>
WT_DEVICE vector<T, N> narrowed(vector<C, N> values) {
  return __builtin_convertvector(values, vector<T, N>);
}

// Views tiles and vectors as register vectors: the fragments of an rt, or the one vector of an rv.
template <class X>
struct parts {
  static constexpr bool kKnown = false;
};
template <class T, int Rows, int Columns, class Layout>
struct parts<rt<T, Rows, Columns, Layout>> {
  using tile = rt<T, Rows, Columns, Layout>;
  static constexpr bool kKnown = true, kTile = true;
  static constexpr int kCount = tile::kTall * tile::kWide, kElements = Layout::kElements;
  template <int I, class Tile>
  WT_DEVICE static auto &get(Tile &x) {
    return x.fragment[I / tile::kWide][I % tile::kWide];
  }
};
template <class T, int Length, class Layout, axis Axis>
struct parts<rv<T, Length, Layout, Axis>> {
  static constexpr bool kKnown = true, kTile = false;
  static constexpr int kCount = 1, kElements = rv<T, Length, Layout, Axis>::kElements;
  template <int I, class Vector>
  WT_DEVICE static auto &get(Vector &x) {
    return x.values;
  }
};

template <class A, class B>
constexpr bool same_place = false;
template <class A, class B, int Rows, int Columns, class Layout>
constexpr bool same_place<rt<A, Rows, Columns, Layout>, rt<B, Rows, Columns, Layout>> = true;
template <class A, class B, int Length, class Layout, axis Axis>
constexpr bool same_place<rv<A, Length, Layout, Axis>, rv<B, Length, Layout, Axis>> = true;

// Passes a vector to a map on tiles: its value of a row (or column) stands for all elements there.
template <class Vector>
struct spread {
  const Vector &from;
};

// Returns part number I of an argument of a map whose result is To. The argument is a tile or vector like it,
// a spread vector, or a number, which stands for all elements.
template <class To, int I, class C, class Argument>
WT_DEVICE auto argument_part(const Argument &argument) {
  static constexpr int kElements = parts<To>::kElements;
  if constexpr (parts<Argument>::kKnown) {
    static_assert(same_place<To, Argument>,
                  "a map's tiles must have one shape and layout: use convert_layout, or add_row and its like "
                  "for a vector");
    return widened<C>(parts<Argument>::template get<I>(argument));
  } else {
    return vector<C, kElements>(static_cast<C>(argument));
  }
}
// Returns the values that meet the elements E... of a tile's fragment in row (or column) Fragment.
template <int Fragment, class T, int Length, class Layout, axis Axis, int... E>
WT_DEVICE vector<T, sizeof...(E)> spread_part(const rv<T, Length, Layout, Axis> &from, indices<int, E...>) {
  using vector_type = rv<T, Length, Layout, Axis>;
  return vector<T, sizeof...(E)>{from.values[Fragment * vector_type::kSlots + vector_type::map::slot(E)]...};
}
template <class To, int I, class C, class T, int Length, class Layout, axis Axis>
WT_DEVICE auto argument_part(const spread<rv<T, Length, Layout, Axis>> &argument) {
  static_assert(parts<To>::kTile, "only a tile has rows and columns to spread a vector over");
  static_assert(
      __is_same(typename To::layout, Layout) && Length == (Axis == axis::row ? To::kRows : To::kColumns),
      "the vector does not belong to this tile: use col_vec<T, Tile> for one value per row, "
      "row_vec<T, Tile> for one per column");
  static constexpr int kFragment = Axis == axis::row ? I / To::kWide : I % To::kWide;
  return widened<C>(
      spread_part<kFragment>(argument.from, __make_integer_seq<indices, int, Layout::kElements>{}));
}

template <class C, class>
using same_for = C;

// Returns f of register vectors: of whole vectors where f takes and returns these, else of each element.
template <class F, class C, int N, class... Vectors>
WT_DEVICE vector<C, N> applied(const F &f, vector<C, N> x, Vectors... more) {
  if constexpr (requires { requires __is_same(decltype(f(x, more...)), vector<C, N>); }) {
    return f(x, more...);
  } else {
    static constexpr bool kByElement =
        requires(C e, same_for<C, Vectors>... others) { static_cast<C>(f(e, others...)); };
    static_assert(kByElement,
                  "map gives its function one f32 for each argument (one i32 for an i32 tile), or register "
                  "vectors of them where it takes `auto`: let the function take and return these");
    if constexpr (kByElement) {
      unrolled<N>([&](auto e) WT_INLINE {
        x[e.value] = static_cast<C>(f(static_cast<C>(x[e.value]), static_cast<C>(more[e.value])...));
      });
    }
    return x;
  }
}

}  // namespace detail

// Holds for register tiles and vectors.
template <class X>
concept map_result = detail::parts<X>::kKnown;

// Sets to = f(arguments...), element by element. The arguments are tiles or vectors like `to`, numbers, or
// by_row and by_column vectors; `to` may be one of them, and is the only one when there are none.
//
// f takes one f32 for each argument (i32 if `to` holds i32) and returns one. A generic function, whose
// parameters are `auto`, is called with whole register vectors of them, so that the compiler may pack the
// arithmetic, as long as it returns such a vector.
template <map_result To, class F, class... Arguments>
WT_DEVICE void map(To &to, const F &f, const Arguments &...arguments) {
  using T = typename To::element;
  using C = detail::compute_t<T>;
  unrolled<detail::parts<To>::kCount>([&](auto i) WT_INLINE {
    auto &part = detail::parts<To>::template get<i>(to);
    if constexpr (sizeof...(Arguments) == 0) {
      part = detail::narrowed<T>(detail::applied(f, detail::widened<C>(part)));
    } else {
      part = detail::narrowed<T>(detail::applied(f, detail::argument_part<To, i, C>(arguments)...));
    }
  });
}

// Return a vector whose values each stand for all elements of their row (their column), as an argument of
// map.
template <class T, int Length, class Layout, axis Axis>
WT_DEVICE auto by_row(const rv<T, Length, Layout, Axis> &values) {
  static_assert(Axis == axis::row,
                "by_row takes one value per row: pass a col_vec<T, Tile>, or use by_column for the row_vec");
  return detail::spread<rv<T, Length, Layout, Axis>>{values};
}
template <class T, int Length, class Layout, axis Axis>
WT_DEVICE auto by_column(const rv<T, Length, Layout, Axis> &values) {
  static_assert(
      Axis == axis::column,
      "by_column takes one value per column: pass a row_vec<T, Tile>, or use by_row for the col_vec");
  return detail::spread<rv<T, Length, Layout, Axis>>{values};
}

}  // namespace wt

#endif
