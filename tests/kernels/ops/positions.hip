// SPDX-License-Identifier: MIT
// Maps that know where an element lies, maps of functions of single numbers, and clamps, for OPS_TYPE in
// every layout.
#include "device.h"

template <class T, class Layout>
WT_DEVICE void positions(const T *in, wt::detail::compute_t<T> number, T *out) {
  using C = wt::detail::compute_t<T>;
  using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
  tile a, result;
  take(a, in);
  const auto rows = row_numbers<T>(a);
  const auto columns = column_numbers<T>(a);
  constexpr wt::origin kAt = {OPS_AT_ROW, OPS_AT_COLUMN};

  wt::map_at(result, kAt, [](C x, int row, int column) { return x + static_cast<C>(2 * row - column); }, a);
  give(result_of(out, OPS_AT_ORIGIN), result);
  wt::map_at(result, [](int row, int column) { return row - column; });
  give(result_of(out, OPS_AT_FILL), result);
  result = a;
  wt::map_at(result, [](C x, int row, int column) { return row == column ? static_cast<C>(0) : x; });
  give(result_of(out, OPS_AT_IN_PLACE), result);
  wt::map_at(
      result, kAt, [](C x, C r, C n, int row, int) { return row % 2 ? x : r - n; }, a, wt::by_row(rows),
      number);
  give(result_of(out, OPS_AT_ARGUMENTS), result);

  auto of_rows = rows;
  wt::map_at(of_rows, OPS_AT_ROW, [](C x, int position) { return x + static_cast<C>(position); });
  wt::broadcast_row(result, of_rows);
  give(result_of(out, OPS_AT_COLUMN_VECTOR), result);
  auto of_columns = columns;
  wt::map_at(
      of_columns, [](C x, C y, int position) { return x - y + static_cast<C>(position); }, columns, number);
  wt::broadcast_col(result, of_columns);
  give(result_of(out, OPS_AT_ROW_VECTOR), result);

  wt::iota(result, 3, -1, OPS_AT_ROW);
  give(result_of(out, OPS_IOTA), result);
  wt::iota(of_rows, OPS_AT_COLUMN);
  wt::broadcast_row(result, of_rows);
  give(result_of(out, OPS_IOTA_COLUMN_VECTOR), result);
  wt::iota(of_columns);
  wt::broadcast_col(result, of_columns);
  give(result_of(out, OPS_IOTA_ROW_VECTOR), result);

  wt::map(result, [](C x, C c) { return x > c ? x - c : static_cast<C>(0); }, a, wt::by_column(columns));
  give(result_of(out, OPS_MAP_OF_NUMBERS), result);
  result = a;
  wt::map(result, [](C x) { return x < 0 ? -x : x; });
  give(result_of(out, OPS_MAP_IN_PLACE), result);

  wt::clamp(result, a, number, -number);
  give(result_of(out, OPS_CLAMP_TO_NUMBERS), result);
  wt::clamp(result, a, wt::by_row(rows), wt::by_column(columns));
  give(result_of(out, OPS_CLAMP_TO_VECTORS), result);
}
#define POSITIONS(layout, T)                                                                                 \
  WT_KERNEL(64) positions_##T##_##layout(const wt::T *in, wt::detail::compute_t<wt::T> number, wt::T *out) { \
    positions<wt::T, layouts::layout<wt::T>>(in, number, out);                                               \
  }
OPS_LAYOUTS(POSITIONS, OPS_TYPE)
