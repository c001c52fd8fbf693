// SPDX-License-Identifier: MIT
// These are the arguments of stream-K kernels, which host (C) and device (HIP C++) share, and how K is cut.
//
// As many tiles as fill all work-groups, round after round, are computed as by any kernel. The K of those
// that are left over is cut into ranges of equal length, one for each work-group, which lie one behind the
// other: the end of one tile's K may be in the same range as the beginning of the next one's. What a range
// has of a tile is a segment. A segment of a whole tile becomes C at once; the sums of all others go to
// `sums`, where gemm_fix_up adds those of a tile in the order of K, so that the bits do not depend on when
// they came.
#ifndef WT_KERNELS_GEMM_STREAM_ARGS_H
#define WT_KERNELS_GEMM_STREAM_ARGS_H

#include "gemm_args.h"

// In `product`, all is as for any GEMM but `k_part`, which is a grain: K is cut at multiples of it, and what
// is left at the end of K belongs to the last grain. There is one member of the batch.
typedef struct wt_gemm_stream_args {
  wt_gemm_args product;
  void *sums;         // of segments, tile_m x tile_n each, in f32: that of range r and tile t is number r + t
  wt_divisor ranges;  // as many as work-groups
  wt_divisor tile;    // grains of a tile
  wt_divisor grains;  // of all tiles that are cut: less than 2^31 / ranges
  wt_divisor share;   // tiles that are cut, for each die (sched/grid.h), at least 1
  int whole;          // positions in `grid` of tiles that are not cut: a multiple of `ranges`
  int tiles;          // that are cut: those at the positions that follow
  int tile_m, tile_n;
} wt_gemm_stream_args;

// Returns the first grain of a range, counted from the first tile that is cut.
WT_ANYWHERE int wt_stream_begin(const wt_gemm_stream_args *args, int range) {
  return (int)wt_divide((unsigned)range * args->grains.divisor, args->ranges);
}

// Returns the range that has a grain.
WT_ANYWHERE int wt_stream_range_of(const wt_gemm_stream_args *args, int grain) {
  return (int)wt_divide((unsigned)(grain + 1) * args->ranges.divisor - 1, args->grains);
}

// Returns the range of a work-group. There are as many work-groups on each die, whose ranges lie side by
// side.
WT_ANYWHERE int wt_stream_range(const wt_gemm_stream_args *args, int group) {
  const wt_divisor dies = args->product.grid.dies;
  const int local = (int)wt_divide((unsigned)group, dies), die = group - local * (int)dies.divisor;
  return die * (int)wt_divide(args->ranges.divisor, dies) + local;
}

// Returns the id in `grid` of a tile that is cut. A die has ids that are so many dies apart, and its tiles
// lie side by side in `grid`: those of its ranges shall be such.
WT_ANYWHERE int wt_stream_id(const wt_gemm_stream_args *args, int tile) {
  const int dies = (int)args->product.grid.dies.divisor, share = (int)args->share.divisor;
  const int die = (int)wt_divide((unsigned)tile, args->share);
  return args->whole + (tile < share * dies ? (tile - die * share) * dies + die : tile);
}

#endif
