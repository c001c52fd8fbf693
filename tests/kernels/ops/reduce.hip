// SPDX-License-Identifier: MIT
// Every reduction of a tile, spread over a tile again, so that each lane's copy of each result is seen.
#include "device.h"

using wt::bf16, wt::f16, wt::f32, wt::i32;

template <class T, class Layout>
WT_DEVICE void reduce_all(const T *in, wt::detail::compute_t<T> *out) {
  using C = wt::detail::compute_t<T>;
  using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
  tile from;
  take(from, in);
  wt::col_vec<C, tile> rows[4];
  wt::row_vec<C, tile> columns[4];
  wt::row_sum(rows[0], from);
  wt::row_max(rows[1], from);
  wt::row_min(rows[2], from);
  wt::row_sum(rows[3], from, rows[1]);
  wt::col_sum(columns[0], from);
  wt::col_max(columns[1], from);
  wt::col_min(columns[2], from);
  wt::col_sum(columns[3], from, columns[1]);
  constexpr int kSize = OPS_ROWS * OPS_COLUMNS;
  wt::rt<C, OPS_ROWS, OPS_COLUMNS, Layout> spread;
  wt::unrolled<4>([&](auto i) WT_INLINE {
    wt::broadcast_row(spread, rows[i]);
    give(out + (OPS_ROW_SUM + i) * kSize, spread);
    wt::broadcast_col(spread, columns[i]);
    give(out + (OPS_COL_SUM + i) * kSize, spread);
  });
  C *numbers = out + OPS_REDUCED * kSize + wt::lane_id() * OPS_REDUCED_NUMBERS;
  numbers[OPS_SUM] = wt::sum(columns[1]);
  numbers[OPS_MAX] = wt::max(columns[1]);
  numbers[OPS_MIN] = wt::min(columns[1]);
  numbers[OPS_COL_VECTOR_SUM] = wt::sum(rows[1]);
}

#define KERNEL(layout, T)                                                           \
  WT_KERNEL(64) reduce_##T##_##layout(const T *in, wt::detail::compute_t<T> *out) { \
    reduce_all<T, layouts::layout<T>>(in, out);                                     \
  }
OPS_OWN_LAYOUTS(KERNEL, f32)
OPS_OWN_LAYOUTS(KERNEL, f16)
OPS_OWN_LAYOUTS(KERNEL, bf16)
OPS_OWN_LAYOUTS(KERNEL, i32)
