// SPDX-License-Identifier: MIT
// Every map: on a tile, of two tiles, of a tile and a number, a column vector, a row vector; some on vectors.
#include "ops_device.h"

using wt::bf16, wt::f16, wt::f32, wt::i32;

template <class T>
using tile_of = wt::rt<T, OPS_MAP_ROWS, OPS_MAP_COLUMNS, layouts::ct16<T>>;

#define UNARY(name, T)                                        \
  WT_KERNEL(64) map_##name##_##T(const void *in, void *out) { \
    tile_of<T> tile;                                          \
    take(tile, in);                                           \
    wt::name(tile, tile);                                     \
    give(out, tile);                                          \
  }
#define UNARY_OF(T) OPS_UNARY(UNARY, T)
OPS_FLOATS(UNARY_OF)
OPS_UNARY_I32(UNARY)

// Writes a op b, a op number, a op (the vector of row numbers), a op (the vector of column numbers).
template <class T, class Op, class RowOp, class ColumnOp>
WT_DEVICE void binary(const void *first, const void *second, wt::detail::compute_t<T> number, void *out,
                      const Op &op, const RowOp &row_op, const ColumnOp &column_op) {
  tile_of<T> a, b, result;
  auto *results = static_cast<T *>(out);
  take(a, first);
  take(b, second);
  op(result, a, b);
  give(results, result);
  op(result, a, number);
  give(results + OPS_MAP_SIZE, result);
  wt::col_vec<T, tile_of<T>> rows;
  wt::row_vec<T, tile_of<T>> columns;
  for (int i = 0; i < rows.kElements; ++i)
    rows.values[i] = static_cast<T>(rows.position(wt::lane_id(), i) + 1);
  for (int i = 0; i < columns.kElements; ++i)
    columns.values[i] = static_cast<T>(columns.position(wt::lane_id(), i) + 1);
  row_op(result, a, rows);
  give(results + 2 * OPS_MAP_SIZE, result);
  column_op(result, a, columns);
  give(results + 3 * OPS_MAP_SIZE, result);
}
#define CALL(function) [](auto &to, const auto &a, const auto &b) WT_INLINE { wt::function(to, a, b); }
#define BINARY(name, T)                                                                                 \
  WT_KERNEL(64)                                                                                         \
  map_##name##_##T(const void *first, const void *second, wt::detail::compute_t<T> number, void *out) { \
    binary<T>(first, second, number, out, CALL(name), CALL(name##_row), CALL(name##_col));              \
  }
OPS_BINARY(BINARY, f32)
OPS_BINARY(BINARY, f16)
OPS_BINARY(BINARY, bf16)
OPS_BINARY(BINARY, i32)
OPS_DIV(BINARY)

// (a + row number) * column number, in every layout.
template <class T, class Layout>
WT_DEVICE void spread(const void *in, void *out) {
  using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
  tile a;
  take(a, in);
  wt::col_vec<f32, tile> rows;
  wt::row_vec<f32, tile> columns;
  for (int i = 0; i < rows.kElements; ++i) rows.values[i] = static_cast<f32>(rows.position(wt::lane_id(), i));
  for (int i = 0; i < columns.kElements; ++i)
    columns.values[i] = static_cast<f32>(columns.position(wt::lane_id(), i));
  wt::add_row(a, a, rows);
  wt::mul_col(a, a, columns);
  give(out, a);
}
#define SPREAD(layout, T) \
  WT_KERNEL(64) spread_##T##_##layout(const void *in, void *out) { spread<T, layouts::layout<T>>(in, out); }
OPS_LAYOUTS(SPREAD, f32)
OPS_LAYOUTS(SPREAD, bf16)

// fma of tile, number and vector; copy between types; fill; zero; maps of vectors. One tile each.
WT_KERNEL(64) map_others(const void *in, f32 *out) {
  tile_of<f32> a, result;
  tile_of<bf16> narrow;
  take(a, in);
  wt::row_vec<f32, tile_of<f32>> columns;
  wt::col_sum(columns, a);
  wt::add(columns, columns, columns);
  wt::relu(columns, columns);
  wt::fma(result, a, 3.0f, wt::by_column(columns));
  give(out, result);
  wt::copy(narrow, a);
  wt::copy(result, narrow);
  give(out + OPS_MAP_SIZE, result);
  wt::fill(result, 2.5f);
  give(out + 2 * OPS_MAP_SIZE, result);
  wt::zero(result);
  wt::zero(columns);
  wt::add_col(result, result, columns);
  give(out + 3 * OPS_MAP_SIZE, result);
}
