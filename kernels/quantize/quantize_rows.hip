// SPDX-License-Identifier: MIT
// Quantises to FP8 with a computed scale per row. Rows that fit into the registers of a team are read once,
// and longer ones twice.
#include "quantize_row.h"

namespace quantize {

template <class Team, int Values, class T, class Q>
WT_DEVICE void by_rows(const wt_quantize_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x() * Team::kTeams + team.number;
  if (i >= args.rows) return;
  const wt::row_slice<row> slice(team.rank, args.columns);
  row x;
  load(x, static_cast<const T *>(args.x) + i * args.x_row, slice);
  const float scale = scale_of<Q>(team.max(largest_own(x, slice, 0.0f)));
  store_quantized(static_cast<Q *>(args.q) + i * args.q_row, slice, x, 1.0f / scale);
  if (team.rank == 0) args.scale[i] = scale;
}

template <class Team, int Values, class T, class Q>
WT_DEVICE void by_rows_long(const wt_quantize_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x();
  const T *from = static_cast<const T *>(args.x) + i * args.x_row;
  Q *to = static_cast<Q *>(args.q) + i * args.q_row;
  float largest = 0;
  rows::each_slice<row>(team.rank, args.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    row x;
    load(x, from, slice);
    largest = largest_own(x, slice, largest);
  });
  const float scale = scale_of<Q>(team.max(largest)), inverse = 1.0f / scale;
  rows::each_slice<row>(team.rank, args.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    row x;
    load(x, from, slice);
    store_quantized(to, slice, x, inverse);
  });
  if (team.rank == 0) args.scale[i] = scale;
}

}  // namespace quantize

#define SHAPE(type, to, shape, threads, values, body)                                                  \
  WT_ROW_KERNEL(quantize_rows_##type##_##to, shape, threads, values, wt_quantize_args, quantize::body, \
                wt::type, wt::fp8##to)
#define SHAPES(type, to)                      \
  SHAPE(type, to, 16x8, 16, 8, by_rows)       \
  SHAPE(type, to, 64x16, 64, 16, by_rows)     \
  SHAPE(type, to, 256x16, 256, 16, by_rows)   \
  SHAPE(type, to, 1024x16, 1024, 16, by_rows) \
  SHAPE(type, to, 1024x32, 1024, 32, by_rows) \
  SHAPE(type, to, 1024x64, 1024, 64, by_rows) \
  SHAPE(type, to, any, 1024, 16, by_rows_long)
SHAPES(f32, e4m3)
SHAPES(f32, e5m2)
SHAPES(bf16, e4m3)
SHAPES(bf16, e5m2)
SHAPES(f16, e4m3)
SHAPES(f16, e5m2)
