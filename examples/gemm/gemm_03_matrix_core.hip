// SPDX-License-Identifier: MIT
// Rung 03, matrix core. Idea: MFMA instructions multiply; a wave computes 16 x 16 x 32 at a time from 8 bytes
// of A and of B per lane. Loads from global memory are still one byte each. Tile 64 x 64, K step 32, four
// waves of 32 x 32. Published for this step: 30.05 TFLOP/s at M = N = K = 4096 on MI355X (ROCm blogs, FP8
// GEMM on CDNA4, 2026).
#include "gemm_problem.h"

namespace {

constexpr int kThreads = 256, kTile = 64, kStep = 32, kWaveTile = 32, kBlocks = kWaveTile / 16;

template <class In, class Out>
WT_DEVICE void gemm_03_matrix_core(const wt_gemm_args &args) {
  using operand = wt::mfma_16x16x32_operand;
  WT_SHARED wt::st<In, kTile, kStep> a_tile, b_tile;
  const gemm_problem<In, Out> p(args);
  const int row0 = wt::workgroup_y() * kTile, column0 = wt::workgroup_x() * kTile;
  const int wave_row = wt::wave_id() / 2 * kWaveTile, wave_column = wt::wave_id() % 2 * kWaveTile;

  wt::f32x4 c[kBlocks][kBlocks] = {};
  for (int k0 = 0; k0 < args.k; k0 += kStep) {
    wt::load_elementwise<kThreads>(a_tile, p.a.from(row0, k0));
    wt::load_elementwise<kThreads>(b_tile, p.b.from(column0, k0));
    wt::barrier();
    wt::u32x2 a[kBlocks], b[kBlocks];
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
      a[i] = wt::load_operand<operand>(a_tile, wave_row + 16 * i, 0);
      b[i] = wt::load_operand<operand>(b_tile, wave_column + 16 * i, 0);
    }
    wt::mma_ABt<In>(c, a, b);
    wt::barrier();  // before the next step overwrites what others still read
  }
  wt::store_scaled(p.c.from(row0 + wave_row, column0 + wave_column), c, args.alpha, args.beta);
}

}  // namespace

GEMM_KERNELS(gemm_03_matrix_core, kThreads)
