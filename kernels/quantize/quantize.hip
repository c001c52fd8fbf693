// SPDX-License-Identifier: MIT
// Quantises to FP8 with given scales, or with one scale for the whole matrix, which is computed in two
// launches: each work-group of the first finds the largest magnitude of its share; the second takes the
// largest of these and quantises.
#include "quantize_row.h"

namespace quantize {

// A work-group of one team, `all`, looks at its share of the matrix by smaller teams.
template <class Team, int Values, class T, class All>
WT_DEVICE void find_largest(const wt_quantize_args &args, const Team &team, All all) {
  using row = rows::row_of<T, Team, Values>;
  float largest = 0;
  rows::each_piece_of<row>(team, args.rows, args.columns, args.teams,
                           [&](int i, const wt::row_slice<row> &slice) WT_INLINE {
                             row x;
                             load(x, static_cast<const T *>(args.x) + i * args.x_row, slice);
                             largest = largest_own(x, slice, largest);
                           });
  largest = all.max(largest);
  if (all.rank == 0) args.largest[wt::workgroup_x()] = largest;
}

template <class Team, int Values, class T, class Q>
WT_DEVICE void by_scale(const wt_quantize_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  float scale = 1.0f;
  if (args.largest != nullptr) {
    float largest = 0;
    for (int i = team.rank; i < args.largest_count; i += Team::kThreads)
      largest = wt::max(largest, args.largest[i]);
    scale = scale_of<Q>(team.max(largest));
    if (wt::workgroup_x() == 0 && wt::thread_id() == 0) *args.scale = scale;
  } else if (!args.per_row) {
    scale = *args.scale;
  }
  rows::each_piece_of<row>(
      team, args.rows, args.columns, args.teams, [&](int i, const wt::row_slice<row> &slice) WT_INLINE {
        row x;
        load(x, static_cast<const T *>(args.x) + i * args.x_row, slice);
        const float of_row = args.per_row ? args.scale[i] : scale;
        store_quantized(static_cast<Q *>(args.q) + i * args.q_row, slice, x, 1.0f / of_row);
      });
}

}  // namespace quantize

// src/quantize/quantize.c must agree on the 1024 threads, and on which rows each shape is for.
#define LARGEST(type, shape, threads, values)                                                        \
  WT_KERNEL(1024) quantize_largest_##type##_##shape(wt_quantize_args args) {                         \
    using team_of = wt::team<threads, 1024>;                                                         \
    using all_of = wt::team<1024>;                                                                   \
    WT_SHARED typename team_of::memory memory;                                                       \
    WT_SHARED typename all_of::memory memory_of_all;                                                 \
    quantize::find_largest<team_of, values, wt::type>(args, team_of(memory), all_of(memory_of_all)); \
  }
#define SHAPE(type, to, shape, threads, values)                                                       \
  WT_ROW_KERNEL(quantize_##type##_##to, shape, threads, values, wt_quantize_args, quantize::by_scale, \
                wt::type, wt::fp8##to)
#define SHAPES(type)               \
  LARGEST(type, 16x8, 16, 8)       \
  LARGEST(type, 64x16, 64, 16)     \
  SHAPE(type, e4m3, 16x8, 16, 8)   \
  SHAPE(type, e4m3, 64x16, 64, 16) \
  SHAPE(type, e5m2, 16x8, 16, 8)   \
  SHAPE(type, e5m2, 64x16, 64, 16)
SHAPES(f32)
SHAPES(bf16)
SHAPES(f16)
