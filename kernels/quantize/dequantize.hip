// SPDX-License-Identifier: MIT
// Converts from FP8, with a scale for the matrix or one per row.
#include "quantize_row.h"

namespace quantize {

template <class Team, int Values, class T, class Q>
WT_DEVICE void back(const wt_quantize_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  rows::each_piece_of<row>(team, args.rows, args.columns, args.teams,
                           [&](int i, const wt::row_slice<row> &slice) WT_INLINE {
                             row x;
                             load(x, static_cast<const Q *>(args.q) + i * args.q_row, slice);
                             rows::scale(x, args.scale[args.per_row ? i : 0]);
                             store(static_cast<T *>(args.x) + i * args.x_row, slice, x);
                           });
}

}  // namespace quantize

#define SHAPE(type, from, shape, threads, values)                                                     \
  WT_ROW_KERNEL(dequantize_##type##_##from, shape, threads, values, wt_quantize_args, quantize::back, \
                wt::type, wt::fp8##from)
#define SHAPES(type)               \
  SHAPE(type, e4m3, 16x8, 16, 8)   \
  SHAPE(type, e4m3, 64x16, 64, 16) \
  SHAPE(type, e5m2, 16x8, 16, 8)   \
  SHAPE(type, e5m2, 64x16, 64, 16)
SHAPES(f32)
SHAPES(bf16)
SHAPES(f16)
