// SPDX-License-Identifier: MIT
// The frame of the rungs with 128 x 128 x 128 tiles: four waves of 64 x 64 multiply two LDS tiles per K step.
// How a whole step's tile comes into LDS is the rung's own idea and comes in as Loader; what the loader
// cannot serve (rows that are not aligned, the last K step when K is no multiple of 128) is loaded element by
// element.
#ifndef WT_EXAMPLES_GEMM_TILE_128_H
#define WT_EXAMPLES_GEMM_TILE_128_H

#include "gemm_problem.h"

namespace gemm_tile_128 {

constexpr int kThreads = 256, kTile = 128, kStep = 128, kWaveTile = 64, kBlocks = kWaveTile / 16;

template <class In>
using tile = wt::st<In, kTile, kStep>;

template <class In>
WT_DEVICE void multiply(wt::f32x4 (&c)[kBlocks][kBlocks], tile<In> &a_tile, tile<In> &b_tile, int wave_row,
                        int wave_column) {
  using operand = wt::mfma_16x16x128_operand;
  wt::i32x8 a[kBlocks], b[kBlocks];
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) {
    a[i] = wt::load_operand<operand>(a_tile, wave_row + 16 * i, 0);
    b[i] = wt::load_operand<operand>(b_tile, wave_column + 16 * i, 0);
  }
  wt::mma_ABt<In>(c, a, b);
}

// Loader: kAlignment, the multiple of bytes at which rows must begin; a constructor from the row strides of A
// and B, run once; and load(a_tile, a, b_tile, b), which fills both tiles from views whose columns are all
// inside. Rows may end early, and what load then leaves in the tile reaches only elements of C that do not
// exist. At its end its copies have landed, or are LDS writes of this wave.
template <class Loader, class In, class Out>
WT_DEVICE void gemm(const wt_gemm_args &args) {
  WT_SHARED tile<In> a_tile, b_tile;
  const gemm_problem<In, Out> p(args);
  const int row0 = wt::workgroup_y() * kTile, column0 = wt::workgroup_x() * kTile;
  const int wave_row = wt::wave_id() / 2 * kWaveTile, wave_column = wt::wave_id() % 2 * kWaveTile;
  const wt::gl<const In> a = p.a.from(row0, 0), b = p.b.from(column0, 0);
  const bool loadable = a.rows_aligned(Loader::kAlignment) && b.rows_aligned(Loader::kAlignment) &&
                        a.fits_buffer(kTile) && b.fits_buffer(kTile);

  const Loader loader(static_cast<int>(a.row_stride), static_cast<int>(b.row_stride));
  wt::f32x4 c[kBlocks][kBlocks] = {};
  int k0 = 0;
  for (const int end = loadable ? args.k / kStep * kStep : 0; k0 < end; k0 += kStep) {
    loader.load(a_tile, a.from(0, k0), b_tile, b.from(0, k0));
    wt::barrier();
    multiply(c, a_tile, b_tile, wave_row, wave_column);
    wt::barrier();  // before the next step overwrites what others still read
  }
  for (; k0 < args.k; k0 += kStep) {
    wt::load_elementwise<kThreads>(a_tile, a.from(0, k0));
    wt::load_elementwise<kThreads>(b_tile, b.from(0, k0));
    wt::barrier();
    multiply(c, a_tile, b_tile, wave_row, wave_column);
    wt::barrier();
  }
  wt::store_scaled(p.c.from(row0 + wave_row, column0 + wave_column), c, args.alpha, args.beta);
}

}  // namespace gemm_tile_128

#endif
