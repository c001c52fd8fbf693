// SPDX-License-Identifier: MIT
// This is stream-K in the 4-wave schedule (gemm_4wave.h). Where tiles do not fill the last round of
// work-groups, all share their K: each work-group computes as many K steps (gemm_stream_args.h).
#ifndef WT_KERNELS_GEMM_4WAVE_STREAM_H
#define WT_KERNELS_GEMM_4WAVE_STREAM_H

// On gfx950, what is made of thread ids is made anew for each segment (ops/isa/ids.h): kept, it makes kernels
// spill. On gfx942 nothing spills, and making it anew takes eight moves in the main loop.
#ifdef __gfx950__
#define WT_FORGET_THREADS
#endif
#include "../fetch_arguments.h"
#include "gemm_4wave.h"
#include "gemm_stream_args.h"

// This is what a work-group computes at a time: grains `from` to `to` of the K of the tile with this id in
// `grid`.
struct gemm_segment {
  int id, from, to;
  int number;  // in `sums`
};

// Walks over the segments of a work-group: whole tiles, then those of its range.
struct gemm_segments {
  int id;       // of the next whole tile
  int at, end;  // the grains of the range that are left

  WT_DEVICE explicit gemm_segments(const wt_gemm_stream_args &args) : id(wt::workgroup_x()) {
    const int range = wt_stream_range(&args, id);
    at = wt_stream_begin(&args, range), end = wt_stream_begin(&args, range + 1);
  }

  WT_DEVICE bool has_next(const wt_gemm_stream_args &args) const { return id < args.whole || at < end; }
  WT_DEVICE gemm_segment next(const wt_gemm_stream_args &args) {
    const int of_tile = static_cast<int>(args.tile.divisor);
    if (id < args.whole) {
      const int now = id;
      id += static_cast<int>(args.ranges.divisor);
      return {now, 0, of_tile, 0};
    }
    const int tile = static_cast<int>(wt_divide(static_cast<unsigned>(at), args.tile));
    const int from = at - tile * of_tile, left = end - at, to = from + left < of_tile ? from + left : of_tile;
    int group = wt::workgroup_x();
    wt::forget_uniform(group);  // or what its range is computed from takes a scalar register all the time
    const int number = wt_stream_range(&args, group) + tile;
    at += to - from;
    return {wt_stream_id(&args, tile), from, to, number};
  }
};

// Returns the arguments of the store of a segment that is not all of K: its sums are a matrix of one tile.
template <class Loop>
WT_DEVICE wt_gemm_args gemm_sums_of(const wt_gemm_stream_args &args, int number) {
  static constexpr int kM = Loop::kTileM, kN = Loop::kTileN;
  wt_gemm_args to = {};
  to.c = static_cast<float *>(args.sums) + static_cast<long long>(number) * (kM * kN);
  to.m = kM, to.n = kN, to.c_row = kN, to.alpha = 1, to.type_c = WT_KERNEL_F32;
  return to;
}

// Returns the main loop of a segment: its tile, and its stretch of K.
template <class Loop>
WT_DEVICE Loop gemm_loop_of(const wt_gemm_stream_args &args, const gemm_segment &now) {
  const int grain = args.product.k_part, first = now.from * grain;
  const bool ends = now.to == static_cast<int>(args.tile.divisor);
  const int count = (ends ? args.product.k : now.to * grain) - first;
  return Loop(args.product, wt_grid_tile_of(args.product.grid, now.id), {first, count});
}

// This is the kernel of a gemm_loop. K is at least a grain. Arguments are read anew where they are needed,
// and the operands made anew for the end of K: kept, they would take more scalar registers than there are.
template <class Loop>
WT_DEVICE void gemm_stream() {
  using args_type = wt_gemm_stream_args;
  WT_SHARED typename Loop::lds memory;
  typename Loop::accumulators c;
  fetch_arguments<sizeof(args_type)>();
  gemm_segments segments(wt::read_arguments<args_type>());
  while (segments.has_next(wt::read_arguments<args_type>())) {
    const gemm_segment now = segments.next(wt::read_arguments<args_type>());
    gemm_loop_of<Loop>(wt::read_arguments<args_type>(), now).main_loop(c, memory.tiles);
    const args_type args = wt::read_arguments<args_type>();
    Loop loop = gemm_loop_of<Loop>(args, now);
    loop.rest(c, memory.tiles);
    wt_gemm_args result = wt::read_arguments<args_type>().product;
    if (now.from != 0 || now.to != static_cast<int>(args.tile.divisor)) {
      result = gemm_sums_of<Loop>(args, now.number);
      loop.row = loop.column = 0;
    }
    store_result<gemm_plain_rows::share_stores>(loop, result, c, memory.quadrant);
    wt::barrier();  // before what others may still read is overwritten
  }
}

#define GEMM_STREAM_KERNEL(stem, BM, BN, stages, waves_per_simd, a_name, TA, b_name, TB)   \
  WT_KERNEL_OF_WAVES((gemm_4wave_frame<TA, TB, BM, BN, stages>::kThreads), waves_per_simd) \
  stem##_##a_name##_##b_name(wt_gemm_stream_args) { gemm_stream<gemm_4wave<TA, TB, BM, BN, stages>>(); }
#define GEMM_4WAVE_STREAM_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GEMM_STREAM_KERNEL, __VA_ARGS__)

#endif
