// SPDX-License-Identifier: MIT
// The frame of the rungs with 128 x 128 x 128 tiles: four waves of 64 x 64 multiply two LDS tiles per K step.
// How a whole step's tile comes into LDS is the rung's own idea and comes in as Loader; what the loader
// cannot serve (rows that are not aligned, the last K step when K is no multiple of 128) is loaded
// element by element.
#ifndef WT_EXAMPLES_GEMM_TILE_128_H
#define WT_EXAMPLES_GEMM_TILE_128_H

#include "gemm_elementwise.h"
#include "gemm_problem.h"

namespace gemm_tile_128 {

constexpr int kThreads = 256, kTile = 128, kStep = 128, kWaveTile = 64;

template <class In, wt::swizzle Swizzle = wt::no_swizzle>
using tile = wt::st<In, kTile, kStep, Swizzle>;

// Loader<In>: tile, what it fills; kAlignment, the multiple of bytes at which rows must begin; a constructor
// from the first rows of A and of B, run once; and load(a_tile, b_tile, k0), which fills both from k0 on, all
// columns inside. Rows may end early, and what load then leaves in the tile reaches only elements of C that
// do not exist. At its end its copies have landed, or are LDS writes of this wave.
template <template <class> class Loader, class In, class Out>
WT_DEVICE void gemm(const wt_gemm_args &args) {
  using lds_tile = typename Loader<In>::tile;
  using operand = wt::rt_a<In, kWaveTile, kStep>;
  constexpr bool kSwizzled = lds_tile::kSwizzle != wt::no_swizzle;  // until then conflicts are accepted
  using reader = wt::lds_reader<lds_tile, typename operand::layout,
                                kSwizzled ? wt::bank_conflicts::refused : wt::bank_conflicts::allowed>;
  WT_SHARED lds_tile a_tile, b_tile;
  const gemm_problem<In, Out> p(args);
  const int row0 = wt::workgroup_y() * kTile, column0 = wt::workgroup_x() * kTile;
  const int wave_row = wt::wave_id() / 2 * kWaveTile, wave_column = wt::wave_id() % 2 * kWaveTile;
  const wt::gl<const In> a = p.a.from(row0, 0), b = p.b.from(column0, 0);
  const bool loadable = a.rows_aligned(Loader<In>::kAlignment) && b.rows_aligned(Loader<In>::kAlignment) &&
                        a.fits_buffer(kTile) && b.fits_buffer(kTile);
  const reader read_a = reader(wave_row).at(wt::lds_address(&a_tile));
  const reader read_b = reader(wave_column).at(wt::lds_address(&b_tile));

  wt::rt_ct<float, kWaveTile, kWaveTile> c = {};
  const auto multiply = [&]() WT_INLINE {
    operand x, y;
    wt::load(x, read_a);
    wt::load(y, read_b);
    wt::mma_ABt(c, x, y);
  };

  const Loader<In> loader(a, b);
  int k0 = 0;
  for (const int end = loadable ? args.k / kStep * kStep : 0; k0 < end; k0 += kStep) {
    loader.load(a_tile, b_tile, k0);
    wt::barrier();
    multiply();
    wt::barrier();  // before the next step overwrites what others still read
  }
  for (; k0 < args.k; k0 += kStep) {
    load_elementwise<kThreads>(a_tile, a.from(0, k0));
    load_elementwise<kThreads>(b_tile, b.from(0, k0));
    wt::barrier();
    multiply();
    wt::barrier();
  }
  store_scaled(p.c, c, row0 + wave_row, column0 + wave_column, args.alpha, args.beta);
}

}  // namespace gemm_tile_128

#endif
