// SPDX-License-Identifier: MIT
// These macros make, of a function on register vectors, the functions of its name on tiles and vectors.
#ifndef WT_OPS_DEFINE_MAPS_H
#define WT_OPS_DEFINE_MAPS_H

#include "map.h"

namespace wt::detail {

// Says what a function has a meaning for: floats, or i32 as well.
enum class function_of { floats, numbers };

template <class To, function_of Kind>
constexpr bool takes = Kind == function_of::numbers || !__is_same(typename To::element, i32);

}  // namespace wt::detail

// Refuses tiles of i32 for a function that has no meaning for them.
#define WT_CHECK_MAP_ELEMENTS(name, kind)                     \
  static_assert(detail::takes<To, detail::function_of::kind>, \
                #name " is a function of floats: convert the i32 tile to f32 first (convert_tile.h)")

// It defines name(to, from), which sets to = wt::name(x) of each element x of `from`. kind: floats, or
// numbers where i32 has it too.
#define WT_UNARY_MAP(name, kind)                                 \
  template <map_result To, map_result From>                      \
  WT_DEVICE void name(To &to, const From &from) {                \
    WT_CHECK_MAP_ELEMENTS(name, kind);                           \
    const auto f = [](auto x) WT_INLINE { return wt::name(x); }; \
    map(to, f, from);                                            \
  }

// It defines name(to, first, second), which sets to = expression of each element a of `first` and b of
// `second`, which is a tile or vector like `first`, or a number. name_row takes a column vector, whose value
// of a row is b for all elements of that row; name_col takes a row vector, whose value of a column is b for
// all elements of that column.
#define WT_BINARY_MAP(name, expression, kind)                                                     \
  template <map_result To, map_result A, class B>                                                 \
  WT_DEVICE void name(To &to, const A &first, const B &second) {                                  \
    WT_CHECK_MAP_ELEMENTS(name, kind);                                                            \
    const auto f = [](auto a, auto b) WT_INLINE { return expression; };                           \
    map(to, f, first, second);                                                                    \
  }                                                                                               \
  template <map_result To, map_result A, class T, int Length, class Layout, axis Axis>            \
  WT_DEVICE void name##_row(To &to, const A &first, const rv<T, Length, Layout, Axis> &second) {  \
    static_assert(Axis == axis::row,                                                              \
                  #name "_row takes one value per row: pass a col_vec<T, Tile>, or use " #name    \
                        "_col for the row_vec");                                                  \
    if constexpr (Axis == axis::row) name(to, first, by_row(second));                             \
  }                                                                                               \
  template <map_result To, map_result A, class T, int Length, class Layout, axis Axis>            \
  WT_DEVICE void name##_col(To &to, const A &first, const rv<T, Length, Layout, Axis> &second) {  \
    static_assert(Axis == axis::column,                                                           \
                  #name "_col takes one value per column: pass a row_vec<T, Tile>, or use " #name \
                        "_row for the col_vec");                                                  \
    if constexpr (Axis == axis::column) name(to, first, by_column(second));                       \
  }

#endif
