// SPDX-License-Identifier: MIT
// This is the end of stream-K (gemm_stream_args.h): it adds the sums of each tile's segments, in the order of
// K, and applies the epilogue. Nothing is left to do for tiles whose K is one segment.
//
// Grid: x = four columns for each thread, row after row, tile after tile.
#include "gemm_epilogue.h"
#include "gemm_stream_args.h"

static constexpr int kThreads = 256, kColumns = 4;  // src/gemm/stream.h has them too

WT_KERNEL(kThreads) gemm_fix_up(wt_gemm_stream_args args) {
  using sums = wt::registers<float, kColumns>;
  const int of_tile = args.tile_m * args.tile_n, blocks = of_tile / (kThreads * kColumns);
  const int tile = wt::workgroup_x() / blocks, block = wt::workgroup_x() - tile * blocks;
  const int grains = static_cast<int>(args.tile.divisor);
  const int first = wt_stream_range_of(&args, tile * grains);
  const int last = wt_stream_range_of(&args, (tile + 1) * grains - 1);
  if (first == last) return;
  const int at = (block * kThreads + wt::thread_id()) * kColumns;
  const wt_grid_tile place = wt_grid_tile_of(args.product.grid, wt_stream_id(&args, tile));
  const int row = place.m * args.tile_m + at / args.tile_n, column = place.n * args.tile_n + at % args.tile_n;
  if (row >= args.product.m || column >= args.product.n) return;
  const float *from =
      static_cast<const float *>(args.sums) + static_cast<long long>(first + tile) * of_tile + at;
  sums total = *reinterpret_cast<const sums *>(from);
  // Where there are fewer grains than ranges, each grain is a segment, and ranges between them are empty.
  const bool has_empty = args.grains.divisor < args.ranges.divisor;
  const int segments = has_empty ? grains : last - first + 1;
#pragma unroll 4
  for (int i = 1; i < segments; ++i) {
    const int range = has_empty ? wt_stream_range_of(&args, tile * grains + i) : first + i;
    total += *reinterpret_cast<const sums *>(from + static_cast<long long>(range - first) * of_tile);
  }
  gemm_output(args.product).put(total, row, column);
}
