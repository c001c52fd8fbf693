// SPDX-License-Identifier: MIT
// Runs the maps that are not functions of one or two, for OPS_TYPE in every layout: broadcasts, fill, zero,
// copies between types, fma, maps whose arguments differ in type, maps of vectors.
#include "device.h"

template <class T, class Layout>
WT_DEVICE void spread(const T *in, wt::detail::compute_t<T> number, T *out) {
  using C = wt::detail::compute_t<T>;
  using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
  tile a, result;
  take(a, in);
  auto rows = row_numbers<T>(a);
  auto columns = column_numbers<T>(a);
  wt::broadcast_row(result, rows);
  give(result_of(out, OPS_BROADCAST_ROW), result);
  wt::broadcast_col(result, columns);
  give(result_of(out, OPS_BROADCAST_COL), result);
  wt::fill(result, number);
  give(result_of(out, OPS_FILL), result);
  wt::zero(result);
  give(result_of(out, OPS_ZERO), result);
  auto wide_rows = row_numbers<C>(a);
  wt::mul(wide_rows, wide_rows, number);
  wt::add_row(result, a, wide_rows);
  give(result_of(out, OPS_MIXED_ROW), result);
  auto wide_columns = column_numbers<C>(a);
  wt::mul(wide_columns, wide_columns, number);
  wt::mul_col(result, a, wide_columns);
  give(result_of(out, OPS_MIXED_COL), result);
  wt::neg(rows, rows);
  wt::mul(rows, rows, number);
  wt::broadcast_row(result, rows);
  give(result_of(out, OPS_COLUMN_VECTOR), result);
  wt::add(columns, columns, columns);
  wt::max(columns, columns, number);
  wt::broadcast_col(result, columns);
  give(result_of(out, OPS_ROW_VECTOR), result);
}
#define SPREAD(layout, T)                                                                                 \
  WT_KERNEL(64) spread_##T##_##layout(const wt::T *in, wt::detail::compute_t<wt::T> number, wt::T *out) { \
    spread<wt::T, layouts::layout<wt::T>>(in, number, out);                                               \
  }
OPS_LAYOUTS(SPREAD, OPS_TYPE)

#define COPY(layout, to, from)                                                    \
  WT_KERNEL(64) copy_##from##_##to##_##layout(const void *in, void *out) {        \
    wt::rt<wt::from, OPS_ROWS, OPS_COLUMNS, layouts::layout<wt::from>> source;    \
    wt::rt<wt::to, OPS_ROWS, OPS_COLUMNS, layouts::layout<wt::from>> destination; \
    take(source, in);                                                             \
    wt::copy(destination, source);                                                \
    give(out, destination);                                                       \
  }
#define COPIES(to, from) OPS_LAYOUTS(COPY, to, from)
OPS_COPIES(COPIES, OPS_TYPE)

// Does nothing for integers.
template <class T, class Layout>
WT_DEVICE void fma(const T *first, const T *second, const T *third, wt::detail::compute_t<T> number, T *out) {
  if constexpr (!__is_same(T, wt::i32)) {
    using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
    tile a, b, d, result;
    take(a, first);
    take(b, second);
    take(d, third);
    wt::fma(result, a, number, wt::by_column(column_numbers<T>(a)));
    give(result_of(out, OPS_FMA_NUMBER), result);
    wt::fma(result, a, wt::by_row(row_numbers<T>(a)), b);
    give(result_of(out, OPS_FMA_ROW), result);
    wt::fma(result, a, b, d);
    give(result_of(out, OPS_FMA_TILES), result);
    wt::rt<wt::f32, OPS_ROWS, OPS_COLUMNS, Layout> wide;
    wt::fma(wide, a, b, d);
    give(result_of(out, OPS_FMA_WIDE), wide);
  }
}
#define FMA(layout, T)                                                            \
  WT_KERNEL(64)                                                                   \
  fma_##T##_##layout(const wt::T *first, const wt::T *second, const wt::T *third, \
                     wt::detail::compute_t<wt::T> number, wt::T *out) {           \
    fma<wt::T, layouts::layout<wt::T>>(first, second, third, number, out);        \
  }
OPS_LAYOUTS(FMA, OPS_TYPE)
