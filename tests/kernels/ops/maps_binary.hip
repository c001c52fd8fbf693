// SPDX-License-Identifier: MIT
// Runs every map of two of OPS_TYPE, in every layout: of two tiles, of a tile and a number, a column vector,
// a row vector.
#include "device.h"

// The vectors hold row and column numbers, from 1.
template <class T, class Layout, class Op, class RowOp, class ColumnOp>
WT_DEVICE void binary(const T *first, const T *second, wt::detail::compute_t<T> number, T *out, const Op &op,
                      const RowOp &row_op, const ColumnOp &column_op) {
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout> a, b, result;
  take(a, first);
  take(b, second);
  op(result, a, b);
  give(result_of(out, OPS_WITH_TILE), result);
  op(result, a, number);
  give(result_of(out, OPS_WITH_NUMBER), result);
  row_op(result, a, row_numbers<T>(a));
  give(result_of(out, OPS_WITH_COLUMN_VECTOR), result);
  column_op(result, a, column_numbers<T>(a));
  give(result_of(out, OPS_WITH_ROW_VECTOR), result);
}

#define CALL(function) [](auto &to, const auto &a, const auto &b) WT_INLINE { wt::function(to, a, b); }
#define KERNEL(layout, name, T)                                                                             \
  WT_KERNEL(64)                                                                                             \
  map_##name##_##T##_##layout(const wt::T *first, const wt::T *second, wt::detail::compute_t<wt::T> number, \
                              wt::T *out) {                                                                 \
    binary<wt::T, layouts::layout<wt::T>>(first, second, number, out, CALL(name), CALL(name##_row),         \
                                          CALL(name##_col));                                                \
  }
#define KERNELS(name, T) OPS_LAYOUTS(KERNEL, name, T)
OPS_BINARY(KERNELS, OPS_TYPE)
