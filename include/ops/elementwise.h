// SPDX-License-Identifier: MIT
// This header has the element-wise operations on tiles and vectors by their usual names. The destination
// comes first, and may be an argument as well. f16 and bf16 are computed in f32 and rounded once; i32 remains
// i32. An f32 product that goes straight into a sum may be joined with it to an fma, which rounds once less,
// as HIP compilers do by default (-ffp-contract).
//
// scope: wave; operands: rt or rv like the destination, or numbers; leaves: none; waits: nobody; LDS: none;
// registers: none; chips: both
#ifndef WT_OPS_ELEMENTWISE_H
#define WT_OPS_ELEMENTWISE_H

#include "define_maps.h"
#include "functions.h"
#include "map.h"

namespace wt {

// Set to = f(from) for each element of tiles, or vectors, of one shape and layout. The functions are those of
// functions.h.
WT_UNARY_MAP(exp2, floats)
WT_UNARY_MAP(exp, floats)
WT_UNARY_MAP(log2, floats)
WT_UNARY_MAP(log, floats)
WT_UNARY_MAP(sqrt, floats)
WT_UNARY_MAP(rsqrt, floats)
WT_UNARY_MAP(reciprocal, floats)
WT_UNARY_MAP(abs, numbers)
WT_UNARY_MAP(neg, numbers)
WT_UNARY_MAP(relu, numbers)
WT_UNARY_MAP(sigmoid, floats)
WT_UNARY_MAP(silu, floats)
WT_UNARY_MAP(gelu, floats)
WT_UNARY_MAP(tanh, floats)

// Sets all elements to `value`.
template <map_result To>
WT_DEVICE void fill(To &to, detail::compute_t<typename To::element> value) {
  const auto f = [](auto x) WT_INLINE { return x; };
  map(to, f, value);
}

// Sets the elements of `to` to those of `from`, in the type of `to`; both types must be floats.
template <map_result To, map_result From>
WT_DEVICE void copy(To &to, const From &from) {
  const auto f = [](auto x) WT_INLINE { return x; };
  map(to, f, from);
}

// Set to = a op b, where b is a tile or vector like a, or a number. div is correctly rounded, in about ten
// instructions: where 1 ulp more is good enough, use mul by the reciprocal. div of i32 is C's, towards zero,
// and takes more instructions.
//
// op_row does the same with a column vector, whose value of a row meets all elements of that row; op_col does
// it with a row vector, whose value of a column meets all elements of that column.
WT_BINARY_MAP(add, a + b, numbers)
WT_BINARY_MAP(sub, a - b, numbers)
WT_BINARY_MAP(mul, a *b, numbers)
WT_BINARY_MAP(div, a / b, numbers)
WT_BINARY_MAP(max, wt::max(a, b), numbers)
WT_BINARY_MAP(min, wt::min(a, b), numbers)

// Sets to = a * b + c with one rounding. b and c are tiles or vectors like a, numbers, or by_row(v) and
// by_column(v).
template <map_result To, map_result A, class B, class C>
WT_DEVICE void fma(To &to, const A &a, const B &b, const C &c) {
  static_assert(!__is_same(typename To::element, i32),
                "fma is a function of floats: mul and add i32 tiles, which is exact anyway");
  if constexpr (!__is_same(typename To::element, i32)) {
    const auto f = [](auto x, auto y, auto z) WT_INLINE { return __builtin_elementwise_fma(x, y, z); };
    map(to, f, a, b, c);
  }
}

// Set every element of a row (column) to the vector's value there.
template <map_result To, class T, int Length, class Layout, axis Axis>
WT_DEVICE void broadcast_row(To &to, const rv<T, Length, Layout, Axis> &values) {
  static_assert(
      Axis == axis::row,
      "broadcast_row takes one value per row: pass a col_vec<T, Tile>, or use broadcast_col for the row_vec");
  const auto f = [](auto x) WT_INLINE { return x; };
  if constexpr (Axis == axis::row) map(to, f, by_row(values));
}
template <map_result To, class T, int Length, class Layout, axis Axis>
WT_DEVICE void broadcast_col(To &to, const rv<T, Length, Layout, Axis> &values) {
  static_assert(Axis == axis::column,
                "broadcast_col takes one value per column: pass a row_vec<T, Tile>, or use broadcast_row for "
                "the col_vec");
  const auto f = [](auto x) WT_INLINE { return x; };
  if constexpr (Axis == axis::column) map(to, f, by_column(values));
}

}  // namespace wt

#endif
