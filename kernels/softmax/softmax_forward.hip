// SPDX-License-Identifier: MIT
// Computes y = softmax(x) by rows: rows that fit into the registers of a team are read once, longer ones
// twice.
#include "softmax_args.h"
#include "softmax_row.h"

namespace softmax {

// A row per team, in its registers. y may be x: a row is read before any of it is written, by the work-group
// because the reductions of larger teams are barriers.
template <class Team, int Values, class T>
WT_DEVICE void forward(const wt_softmax_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x() * Team::kTeams + team.number;
  if (i >= args.rows) return;
  const wt::row_slice<row> slice(team.rank, args.columns);
  row x;
  load(x, static_cast<const T *>(args.in) + i * args.in_row, slice);
  rows::scale(x, exponentiate_row(x, slice, team).scale());
  store(static_cast<T *>(args.out) + i * args.out_row, slice, x);
}

// Does the same where the team holds the row in its own type, which takes half the registers.
template <class Team, int Values, class T>
WT_DEVICE void forward_packed(const wt_softmax_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x();
  const wt::row_slice<row> slice(team.rank, args.columns);
  wt::team_bits<T, row> x;
  load(x, static_cast<const T *>(args.in) + i * args.in_row, slice);
  const statistics s = statistics_of(x, slice, team);
  T *to = static_cast<T *>(args.out) + i * args.out_row;
  const float scale = s.scale();
  wt::each_piece<row>([&](auto p)
                          WT_INLINE { wt::store_piece<p>(to, slice, exponentials<p>(x, s.max) * scale); });
}

// Computes a row of any length per team.
template <class Team, int Values, class T>
WT_DEVICE void forward_long(const wt_softmax_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x();
  const T *from = static_cast<const T *>(args.in) + i * args.in_row;
  T *to = static_cast<T *>(args.out) + i * args.out_row;
  const statistics s = online<T, row>(from, args.columns, team, [](auto &, auto &) WT_INLINE {});
  const float scale = s.scale();
  rows::each_slice<row>(team.rank, args.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    row x;
    load(x, from, slice);
    exponentiate(x, s.max);
    rows::scale(x, scale);
    store(to, slice, x);
  });
}

}  // namespace softmax

#define SHAPE(type, shape, threads, values, body) \
  WT_ROW_KERNEL(softmax_forward_##type, shape, threads, values, wt_softmax_args, softmax::body, wt::type)
#define SHAPES(type)                      \
  SHAPE(type, 16x8, 16, 8, forward)       \
  SHAPE(type, 64x16, 64, 16, forward)     \
  SHAPE(type, 256x16, 256, 16, forward)   \
  SHAPE(type, 1024x16, 1024, 16, forward) \
  SHAPE(type, 1024x32, 1024, 32, forward) \
  SHAPE(type, 1024x64, 1024, 64, forward) \
  SHAPE(type, any, 1024, 16, forward_long)
SHAPES(f32)
SHAPES(bf16)
SHAPES(f16)
#define PACKED_SHAPES(type)                        \
  SHAPE(type, 1024x128, 1024, 128, forward_packed) \
  SHAPE(type, 1024x160, 1024, 160, forward_packed)
PACKED_SHAPES(bf16)
PACKED_SHAPES(f16)
