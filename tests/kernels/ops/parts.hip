// SPDX-License-Identifier: MIT
// Takes parts of tiles as tiles, and makes reductions in two steps, within lanes and between them.
#include "device.h"

using wt::bf16, wt::f16, wt::f32, wt::i32;

// Copies every part of half the columns, and half the rows where these are more than a fragment's, each to
// its place in `out`.
template <class T, class Layout>
WT_DEVICE void all_parts(const T *in, T *out) {
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout> from;
  take(from, in);
  constexpr int kRows = Layout::kRows < OPS_ROWS ? OPS_ROWS / 2 : OPS_ROWS, kColumns = OPS_COLUMNS / 2;
  wt::unrolled<2 * OPS_ROWS / kRows>([&](auto n) WT_INLINE {
    constexpr int kRow = n / 2 * kRows, kColumn = n % 2 * kColumns;
    const auto quarter = wt::part<kRow, kColumn, kRows, kColumns>(from);
    wt::store(wt::row_major(out, OPS_ROWS, OPS_COLUMNS), quarter, kRow, kColumn);
  });
}

// Twice the row sums, and row maxima, both spread over a tile again.
template <class T, class Layout>
WT_DEVICE void reduce_in_two_steps(const T *in, wt::detail::compute_t<T> *out) {
  using C = wt::detail::compute_t<T>;
  using tile = wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout>;
  tile from;
  take(from, in);
  wt::col_vec<C, tile> sum, max;
  wt::zero(sum);
  wt::row_sum_in_lanes(sum, from, sum);
  wt::row_sum_in_lanes(sum, from, sum);
  wt::sum_between_lanes(sum);
  wt::row_max_in_lanes(max, from);
  wt::unrolled<max.kElements>([&](auto e) WT_INLINE {
    const auto op = [](C a, C b) WT_INLINE { return wt::max(a, b); };
    max.values[e.value] = wt::reduce_lanes<decltype(max)::map::kSharedLanes>(max.values[e.value], op);
  });
  wt::rt<C, OPS_ROWS, OPS_COLUMNS, Layout> spread;
  wt::broadcast_row(spread, sum);
  give(out, spread);
  wt::broadcast_row(spread, max);
  give(out + OPS_ROWS * OPS_COLUMNS, spread);
}

#define KERNEL(layout, T)                                                                                \
  WT_KERNEL(64) parts_##T##_##layout(const T *in, T *out) { all_parts<T, layouts::layout<T>>(in, out); } \
  WT_KERNEL(64) two_steps_##T##_##layout(const T *in, wt::detail::compute_t<T> *out) {                   \
    reduce_in_two_steps<T, layouts::layout<T>>(in, out);                                                 \
  }
OPS_OWN_LAYOUTS(KERNEL, f32)
OPS_OWN_LAYOUTS(KERNEL, f16)
OPS_OWN_LAYOUTS(KERNEL, bf16)
OPS_OWN_LAYOUTS(KERNEL, i32)

// Takes maxima of pairs of lanes: for each bit, of `in` and of the larger of `in` and `floor`.
WT_KERNEL(64) lane_pairs(const float *in, const float *floor, float *out) {
  const int lane = wt::lane_id();
  const float x = in[lane], y = wt::max(x, floor[lane]);
  const auto op = [](float a, float b) WT_INLINE { return wt::max(a, b); };
  wt::unrolled<6>([&](auto bit)
                      WT_INLINE { out[bit * 64 + lane] = wt::reduce_lane_pairs<(1 << bit)>(x, y, op); });
}
