// SPDX-License-Identifier: MIT
// Computes dx = y * (dy - sum of dy * y) by rows: rows that fit into the registers of a team are read once,
// longer ones twice.
#include "softmax_args.h"
#include "softmax_row.h"

namespace softmax {

// Returns the thread's part of the sum; y and dy are what a team holds.
template <class Row>
WT_DEVICE float product_own(const Row &y, const Row &dy, const wt::row_slice<Row> &slice) {
  Row product;
  const auto times = [](float a, float b) WT_INLINE { return a * b; };
  map(product, times, y, dy);
  return sum_own(product, slice);
}

template <class Row>
WT_DEVICE void gradient(Row &dx, const Row &y, const Row &dy, float sum) {
  const auto of_entry = [&](float a, float b) WT_INLINE { return a * (b - sum); };
  map(dx, of_entry, y, dy);
}

// A row per team, in its registers. dx may be y or dy, as in the forward pass.
template <class Team, int Values, class T>
WT_DEVICE void backward(const wt_softmax_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x() * Team::kTeams + team.number;
  if (i >= args.rows) return;
  const wt::row_slice<row> slice(team.rank, args.columns);
  row y, dy;
  load(y, static_cast<const T *>(args.in) + i * args.in_row, slice);
  load(dy, static_cast<const T *>(args.gradient) + i * args.gradient_row, slice);
  gradient(y, y, dy, team.sum(product_own(y, dy, slice)));
  store(static_cast<T *>(args.out) + i * args.out_row, slice, y);
}

// Computes a row of any length per team.
template <class Team, int Values, class T>
WT_DEVICE void backward_long(const wt_softmax_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x();
  const T *in = static_cast<const T *>(args.in) + i * args.in_row;
  const T *upstream = static_cast<const T *>(args.gradient) + i * args.gradient_row;
  T *out = static_cast<T *>(args.out) + i * args.out_row;
  float sum = 0;
  rows::each_slice<row>(team.rank, args.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    row y, dy;
    load(y, in, slice);
    load(dy, upstream, slice);
    sum += product_own(y, dy, slice);
  });
  sum = team.sum(sum);
  rows::each_slice<row>(team.rank, args.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    row y, dy;
    load(y, in, slice);
    load(dy, upstream, slice);
    gradient(y, y, dy, sum);
    store(out, slice, y);
  });
}

}  // namespace softmax

#define SHAPE(type, shape, threads, values, body) \
  WT_ROW_KERNEL(softmax_backward_##type, shape, threads, values, wt_softmax_args, softmax::body, wt::type)
#define SHAPES(type)                       \
  SHAPE(type, 16x8, 16, 8, backward)       \
  SHAPE(type, 64x16, 64, 16, backward)     \
  SHAPE(type, 256x16, 256, 16, backward)   \
  SHAPE(type, 1024x16, 1024, 16, backward) \
  SHAPE(type, 1024x32, 1024, 32, backward) \
  SHAPE(type, any, 1024, 16, backward_long)
SHAPES(f32)
SHAPES(bf16)
SHAPES(f16)
