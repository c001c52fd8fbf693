// SPDX-License-Identifier: MIT
// This is GEMM by persistent work-groups. There are as many as the device holds at once, and each computes
// one tile of C after the other. Where a work-group ends with its tile, the matrix pipes have nothing to do
// while C is stored, the next work-group starts and its first copies arrive. Here the next tile's copies are
// issued before C is stored, and half of C is stored under the next tile's first MFMAs:
//
//   vector memory, in this order             meanwhile
//   copies of K steps 0 and 1                then the place of the tile after the next is computed
//   stores of C's upper quadrants            the lower ones are rounded
//   copies of K steps 2 to 5, with stores    the next tile's K steps 0 to 3 are multiplied
//   of C's lower quadrants between them
//
// C is alpha times the product, in 16 bits: what has been rounded but not stored has to fit into the
// registers that the main loop leaves.
#ifndef WT_KERNELS_GEMM_4WAVE_PERSISTENT_H
#define WT_KERNELS_GEMM_4WAVE_PERSISTENT_H

#include "../fetch_arguments.h"
#include "gemm_4wave.h"
#include "gemm_leftover.h"

// Returns the arguments of the product without its scales.
WT_DEVICE const wt_gemm_args &gemm_args_of(const wt_gemm_args &args) { return args; }

// Describes the tiles of one product, which persistent work-groups take one after the other. Another family's
// tiles are those of several products (kernels/grouped/grouped_4wave_persistent.h).
//   args      of the kernel, whose arguments of the product gemm_args_of finds
//   place     of a tile; `place.tile` is its row and column among those of its product
//   at        the place that is `id`-th in the order; any where there is none
//   exists    whether there is one
//   product   the arguments of its product
//   groups    how many places a work-group goes on for its next tile
template <class Args>
struct gemm_tiles {
  using args = Args;
  struct place {
    wt_grid_tile tile;
  };

  WT_DEVICE static place at(const args &all, int id) {
    const wt_grid_map &grid = gemm_args_of(all).grid;
    const int last = (int)grid.tiles.divisor - 1;
    return {wt_grid_tile_of(grid, id < last ? id : last)};
  }
  WT_DEVICE static bool exists(const args &all, const place &, int id) {
    return id < (int)gemm_args_of(all).grid.tiles.divisor;
  }
  WT_DEVICE static const args &product(const args &all, const place &) { return all; }
  WT_DEVICE static int groups(const args &all) { return gemm_args_of(all).groups; }
};

// Returns the place that is `id`-th in the order. Nothing else is computed meanwhile.
template <class Tiles>
WT_DEVICE auto gemm_place_at(const typename Tiles::args &args, int id) {
  wt::sched_barrier();
  const auto place = Tiles::at(args, id);
  wt::sched_barrier();
  return place;
}

// Runs the kernel of a frame and its loop. K is of whole steps, at least as many as the schedule needs; rows
// of C suit row_writer. Loop<Frame, Stores> has the two parts of a run, whose schedule has so many stores.
// Arguments are read anew where they are needed: kept, they would take more scalar registers than there are.
template <class Frame, class Out, template <class, int> class Loop, class Tiles>
WT_DEVICE void gemm_persistent_loop() {
  using args_type = typename Tiles::args;
  using leftover_type = gemm_leftover<Frame, Out>;
  using loop = Loop<Frame, leftover_type::kStores>;
  WT_SHARED typename Frame::stages tiles;
  typename Frame::accumulators c;
  fetch_arguments<sizeof(args_type)>();
  const args_type args = wt::read_arguments<args_type>();
  int id = wt::workgroup_x();
  auto now = Tiles::at(args, id), next = Tiles::at(args, id + Tiles::groups(args));
  if (!Tiles::exists(args, now, id)) return;
  const auto product = Tiles::product(args, now);
  const Frame first(product, now.tile);
  typename loop::paths paths(first, tiles);
  loop::start(paths);
  leftover_type leftover{gemm_output(gemm_args_of(product))};
  wt::wait_vmem<0>();  // the schedule counts stores after the copies
  for (;;) {
    loop::resume(c, paths, loop::steps_of(first), leftover.stores());
    const args_type again = wt::read_arguments<args_type>();
    const auto done = now;
    id += Tiles::groups(again);
    const bool more = Tiles::exists(again, next, id);
    if (more) {
      now = next;
      paths = typename loop::paths(Frame(Tiles::product(again, now), now.tile), tiles);
      wt::raw_barrier();  // all have read the last step
      loop::start(paths);
      next = gemm_place_at<Tiles>(again, id + Tiles::groups(again));
    }
    const args_type last = wt::read_arguments<args_type>();
    const auto ends = Tiles::product(last, done);
    leftover.take(Frame(ends, done.tile), gemm_output(gemm_args_of(ends)), c);
    if (!more) break;
  }
  leftover.store_all();
}

template <class Frame, int Stores>
using gemm_4wave_loop = gemm_loop<Frame, gemm_4wave_schedule<Frame, Stores>, 2>;
template <class Frame, class Out, class Tiles = gemm_tiles<wt_gemm_args>>
WT_DEVICE void gemm_persistent() {
  gemm_persistent_loop<Frame, Out, gemm_4wave_loop, Tiles>();
}

// Defines the kernels <stem>_<a>_<b>_<c> for pairs of input types (gemm_pairs.h) and both types of C.
#define GEMM_PERSISTENT_KERNEL(stem, BM, BN, stages, waves_per_simd, a_name, TA, b_name, TB, c_name, TC) \
  WT_KERNEL_OF_WAVES((gemm_4wave_frame<TA, TB, BM, BN, stages>::kThreads), waves_per_simd)               \
  stem##_##a_name##_##b_name##_##c_name(wt_gemm_args) {                                                  \
    gemm_persistent<gemm_4wave_frame<TA, TB, BM, BN, stages>, TC>();                                     \
  }
#define GEMM_PERSISTENT_PAIR(entry, ...) entry(__VA_ARGS__, bf16, wt::bf16) entry(__VA_ARGS__, f16, wt::f16)
#define GEMM_4WAVE_PERSISTENT_KERNELS(pairs, ...) \
  GEMM_PAIRS_##pairs(GEMM_PERSISTENT_PAIR, GEMM_PERSISTENT_KERNEL, __VA_ARGS__)

#endif
