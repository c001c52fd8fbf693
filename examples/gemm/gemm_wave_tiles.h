// SPDX-License-Identifier: MIT
// Defines the frame of rungs 03 to 06: four waves, 2 x 2, each with 16 x 16 elements of C and with tiles of A
// and B in LDS that are its own, 16 rows by a K step of 128. One fragment of each is multiplied per step.
// That is the shape of the published kernels (ROCm, gpuaidev, notebook on FP8 GEMM for CDNA4); what each rung
// changes is how the tiles come into LDS, its Loader. What a loader cannot serve (rows that are not aligned,
// the last K step when K is no multiple of 128) is loaded element by element.
#ifndef WT_EXAMPLES_GEMM_WAVE_TILES_H
#define WT_EXAMPLES_GEMM_WAVE_TILES_H

#include "gemm_elementwise.h"
#include "gemm_problem.h"

namespace gemm_wave_tiles {

constexpr int kWaves = 4, kLanes = wt::target::kWaveLanes, kThreads = kWaves * kLanes;
constexpr int kWaveTile = 16, kTile = 2 * kWaveTile, kStep = 128;

template <class In, wt::swizzle Swizzle = wt::no_swizzle>
using tile = wt::st<In, kWaveTile, kStep, Swizzle>;

// Loader<In>: tile, what it fills; kAlignment, the multiple of bytes at which rows must begin; a constructor
// from the wave's first rows of A and of B, run once; and load(a_tile, b_tile, k0), which fills both from k0
// on, all columns inside. Rows may end early, and what load then leaves in the tile reaches only elements of
// C that do not exist. At its end its copies have landed, or are LDS writes of this wave.
template <template <class> class Loader, class In, class Out>
WT_DEVICE void gemm(const wt_gemm_args &args) {
  using lds_tile = typename Loader<In>::tile;
  using operand = wt::rt_a<In, kWaveTile, kStep>;
  constexpr bool kSwizzled = lds_tile::kSwizzle != wt::no_swizzle;  // until then conflicts are accepted
  using reader = wt::lds_reader<lds_tile, typename operand::layout,
                                kSwizzled ? wt::bank_conflicts::refused : wt::bank_conflicts::allowed>;
  WT_SHARED lds_tile a_tiles[kWaves], b_tiles[kWaves];
  const gemm_problem<In, Out> p(args);
  const int wave = wt::wave_id();
  lds_tile &a_tile = a_tiles[wave], &b_tile = b_tiles[wave];
  const int row0 = wt::workgroup_y() * kTile + wave / 2 * kWaveTile;
  const int column0 = wt::workgroup_x() * kTile + wave % 2 * kWaveTile;
  // A wave past the matrix reads its last row.
  const wt::gl<const In> a = p.a.from(row0 < args.m ? row0 : args.m - 1, 0);
  const wt::gl<const In> b = p.b.from(column0 < args.n ? column0 : args.n - 1, 0);
  const bool loadable = a.rows_aligned(Loader<In>::kAlignment) && b.rows_aligned(Loader<In>::kAlignment) &&
                        a.fits_buffer(kWaveTile) && b.fits_buffer(kWaveTile);
  const reader read_a = reader(0).at(a_tile);
  const reader read_b = reader(0).at(b_tile);

  wt::rt_ct<float, kWaveTile, kWaveTile> c = {};
  const auto multiply = [&]() WT_INLINE {
    operand x, y;
    wt::load(x, read_a);
    wt::load(y, read_b);
    wt::mma_ABt(c, x, y);
  };

  // No wave reads what another has written: the barriers, which the published kernels have, keep the waves of
  // a work-group in step.
  const Loader<In> loader(a, b);
  int k0 = 0;
  for (const int end = loadable ? args.k / kStep * kStep : 0; k0 < end; k0 += kStep) {
    loader.load(a_tile, b_tile, k0);
    wt::barrier();
    multiply();
    wt::barrier();
  }
  for (; k0 < args.k; k0 += kStep) {
    load_elementwise<kLanes>(a_tile, a.from(0, k0));
    load_elementwise<kLanes>(b_tile, b.from(0, k0));
    wt::barrier();
    multiply();
    wt::barrier();
  }
  store_scaled(p.c, c, row0, column0, args.alpha, args.beta);
}

}  // namespace gemm_wave_tiles

#endif
