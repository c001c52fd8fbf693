// SPDX-License-Identifier: MIT
// Every reduction that carries an index, of OPS_TYPE in every layout, spread over a tile, so that each lane's
// copy of each result is seen.
#include "device.h"

template <class C, class Layout, class Values, class Indices>
WT_DEVICE void give_spread(C *out, int number, const Values &values, const Indices &indices) {
  wt::rt<C, OPS_ROWS, OPS_COLUMNS, Layout> spread;
  wt::rt<wt::i32, OPS_ROWS, OPS_COLUMNS, Layout> spread_indices;
  if constexpr (Values::kAxis == wt::axis::row) {
    wt::broadcast_row(spread, values);
    wt::broadcast_row(spread_indices, indices);
  } else {
    wt::broadcast_col(spread, values);
    wt::broadcast_col(spread_indices, indices);
  }
  give(result_of(out, 2 * number), spread);
  give(result_of(out, 2 * number + 1), spread_indices);
}

template <class C>
WT_DEVICE void give_found(C *out, int number, const wt::indexed<C> &found) {
  auto *numbers = out + 2 * OPS_ARG_REDUCED * OPS_SIZE + wt::lane_id() * 2 * OPS_ARG_VECTORS;
  numbers[2 * number] = found.value;
  numbers[2 * number + 1] = __builtin_bit_cast(C, found.position);
}

// The values of the second result are held in the tile's own type.
template <class T, class Layout>
WT_DEVICE void of_rows(const T *in, const T *other, wt::detail::compute_t<T> *out) {
  using C = wt::detail::compute_t<T>;
  using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
  tile from;
  wt::col_vec<C, tile> values;
  wt::col_vec<T, tile> narrow;
  wt::col_vec<wt::i32, tile> indices;
  take(from, in);
  wt::row_argmax(values, indices, from, OPS_ARG_COLUMN);
  give_spread<C, Layout>(out, OPS_ROW_ARGMAX, values, indices);
  give_found(out, OPS_ARGMAX_OF_ROWS, wt::argmax(values));
  take(from, other);
  wt::row_argmin(narrow, indices, from, int{OPS_ARG_COLUMN} + int{OPS_COLUMNS});
  take(from, in);
  wt::row_argmin_more(narrow, indices, from, OPS_ARG_COLUMN);
  wt::copy(values, narrow);
  give_spread<C, Layout>(out, OPS_ROW_ARGMIN_OF_TWO, values, indices);
}
template <class T, class Layout>
WT_DEVICE void of_columns(const T *in, const T *other, wt::detail::compute_t<T> *out) {
  using C = wt::detail::compute_t<T>;
  using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
  tile from;
  wt::row_vec<C, tile> values;
  wt::row_vec<wt::i32, tile> indices;
  take(from, in);
  wt::col_argmin(values, indices, from, OPS_ARG_ROW);
  give_spread<C, Layout>(out, OPS_COL_ARGMIN, values, indices);
  give_found(out, OPS_ARGMIN_OF_COLUMNS, wt::argmin(values));
  take(from, other);
  wt::col_argmax(values, indices, from, int{OPS_ARG_ROW} + int{OPS_ROWS});
  take(from, in);
  wt::col_argmax_more(values, indices, from, OPS_ARG_ROW);
  give_spread<C, Layout>(out, OPS_COL_ARGMAX_OF_TWO, values, indices);
}

#define KERNELS(layout, T)                                                                             \
  WT_KERNEL(64)                                                                                        \
  arg_rows_##T##_##layout(const wt::T *in, const wt::T *other, wt::detail::compute_t<wt::T> *out) {    \
    of_rows<wt::T, layouts::layout<wt::T>>(in, other, out);                                            \
  }                                                                                                    \
  WT_KERNEL(64)                                                                                        \
  arg_columns_##T##_##layout(const wt::T *in, const wt::T *other, wt::detail::compute_t<wt::T> *out) { \
    of_columns<wt::T, layouts::layout<wt::T>>(in, other, out);                                         \
  }
OPS_ARG_LAYOUTS(KERNELS, OPS_TYPE)
