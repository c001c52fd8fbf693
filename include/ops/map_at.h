// SPDX-License-Identifier: MIT
// These maps know where an element lies: its row and column in the whole matrix, or its position in a vector.
//
// scope: wave; operands: rt or rv of f32, f16, bf16 or i32 in any layout; leaves: none; waits: nobody; LDS:
// none; registers: the coordinates that the function uses; chips: both
#ifndef WT_OPS_MAP_AT_H
#define WT_OPS_MAP_AT_H

#include "isa/ids.h"
#include "list.h"
#include "map.h"

namespace wt {

// This says where a tile lies in the whole matrix: the row and the column of its first element.
struct origin {
  int row = 0, column = 0;
};

namespace detail {

// Calls f(index<I>{}, index<E>{}, row, column) for element E of this lane in fragment I, counted row by row;
// the row and the column count from the tile's first element.
template <class Tile, class F>
WT_DEVICE void each_place(const F &f) {
  using layout = typename Tile::layout;
  const int lane = lane_id();
  unrolled<Tile::kElements>([&](auto n) WT_INLINE {
    static constexpr int kE = n % layout::kElements, kI = n / layout::kElements;
    f(index<kI>{}, index<kE>{}, kI / Tile::kWide * layout::kRows + layout::row(lane, kE),
      kI % Tile::kWide * layout::kColumns + layout::column(lane, kE));
  });
}

// Returns what a map at positions calls f with: the values of the arguments, or of `to` where there are none
// and f takes a value, and then the position.
template <class To, int I, int E, class C, class F, class... Arguments, class... Position>
WT_DEVICE C value_at(const To &to, const F &f, const Arguments &...arguments, Position... position) {
  if constexpr (sizeof...(Arguments) != 0) {
    return f(static_cast<C>(argument_part<To, I, C>(arguments)[E])..., position...);
  } else if constexpr (requires { f(position...); }) {
    return f(position...);
  } else {
    return f(static_cast<C>(argument_part<To, I, C>(to)[E]), position...);
  }
}

}  // namespace detail

// Sets to = f(x..., row, column), element by element, where x are the arguments' values in that element. The
// arguments are what map takes: tiles of to's shape and layout, numbers, by_row(v), by_column(v). Without
// arguments, f(x, row, column) changes to's own elements, and f(row, column) fills it.
//
// f takes and returns f32, or i32 where `to` holds i32; f16 and bf16 are rounded once. The row and the column
// are those of the whole matrix, where `at` is the place of the tile's first element. It is computed in the
// lanes' registers: no LDS, no memory.
template <class T, int Rows, int Columns, class Layout, class F, class... Arguments>
WT_DEVICE void map_at(rt<T, Rows, Columns, Layout> &to, origin at, const F &f,
                      const Arguments &...arguments) {
  using tile = rt<T, Rows, Columns, Layout>;
  using C = detail::compute_t<T>;
  detail::each_place<tile>([&](auto i, auto e, int row, int column) WT_INLINE {
    to.fragment[i / tile::kWide][i % tile::kWide][e.value] =
        static_cast<T>(detail::value_at<tile, i, e, C, F, Arguments...>(to, f, arguments..., at.row + row,
                                                                        at.column + column));
  });
}
// Does the same with rows and columns counted from the tile's first element.
template <class T, int Rows, int Columns, class Layout, class F, class... Arguments>
  requires(!__is_same(F, origin))
WT_DEVICE void map_at(rt<T, Rows, Columns, Layout> &to, const F &f, const Arguments &...arguments) {
  map_at(to, origin{}, f, arguments...);
}

// Does the same for a vector: to = f(x..., position), where position counts the vector's values from `first`
// on.
template <class T, int Length, class Layout, axis Axis, class F, class... Arguments>
WT_DEVICE void map_at(rv<T, Length, Layout, Axis> &to, int first, const F &f, const Arguments &...arguments) {
  using vector = rv<T, Length, Layout, Axis>;
  using C = detail::compute_t<T>;
  const int lane = lane_id();
  unrolled<vector::kElements>([&](auto e) WT_INLINE {
    to.values[e.value] = static_cast<T>(detail::value_at<vector, 0, e, C, F, Arguments...>(
        to, f, arguments..., first + vector::position(lane, e)));
  });
}
template <class T, int Length, class Layout, axis Axis, class F, class... Arguments>
  requires(!__is_convertible(F, int))
WT_DEVICE void map_at(rv<T, Length, Layout, Axis> &to, const F &f, const Arguments &...arguments) {
  map_at(to, 0, f, arguments...);
}

// Sets every value of a vector to its position plus `first`: 0, 1, 2 ... The values are computed in i32 and
// rounded once to the vector's type: f32 holds all whole numbers up to 2^24, f16 up to 2048, bf16 up to 256.
template <class T, int Length, class Layout, axis Axis>
WT_DEVICE void iota(rv<T, Length, Layout, Axis> &to, int first = 0) {
  const int lane = lane_id();
  unrolled<rv<T, Length, Layout, Axis>::kElements>([&](auto e) WT_INLINE {
    to.values[e.value] = static_cast<T>(first + rv<T, Length, Layout, Axis>::position(lane, e));
  });
}

// Sets every element of a tile to first + row * row_step + column * column_step, with rows and columns
// counted from the tile's first element: iota(t, 1, 0) numbers the rows, iota(t, 0, 1) the columns, iota(t,
// stride, 1) gives each element its offset in a row-major matrix. It computes and rounds as for vectors.
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE void iota(rt<T, Rows, Columns, Layout> &to, int row_step, int column_step, int first = 0) {
  using tile = rt<T, Rows, Columns, Layout>;
  static_assert(is_one_of<T, f32, f16, bf16, i32>, "iota fills tiles of f32, f16, bf16 or i32");
  detail::each_place<tile>([&](auto i, auto e, int row, int column) WT_INLINE {
    to.fragment[i / tile::kWide][i % tile::kWide][e.value] =
        static_cast<T>(first + row * row_step + column * column_step);
  });
}

}  // namespace wt

#endif
