// SPDX-License-Identifier: MIT
// Rung 03, matrix core. Idea: MFMA instructions multiply; a wave computes 16 x 16 x 32 at a time from 8 bytes
// of A and of B per lane. Loads from global memory are still one byte each. Tile 64 x 64, K step 32, four
// waves of 32 x 32. Published for this step: 30.05 TFLOP/s at M = N = K = 4096 on MI355X (ROCm blogs, FP8
// GEMM on CDNA4, 2026).
#include "gemm_elementwise.h"
#include "gemm_problem.h"

namespace {

constexpr int kThreads = 256, kTile = 64, kStep = 32, kWaveTile = 32;

template <class In, class Out>
WT_DEVICE void gemm_03_matrix_core(const wt_gemm_args &args) {
  // A lane holds 8 consecutive k of a row. Rows of 32 bytes make 16 lanes meet in a few banks: rung 06's
  // worry.
  using operand = wt::operand<16, kStep>;
  using tile = wt::st<In, kTile, kStep>;
  using reader = wt::lds_reader<tile, operand, wt::bank_conflicts::allowed>;
  WT_SHARED tile a_tile, b_tile;
  const gemm_problem<In, Out> p(args);
  const int row0 = wt::workgroup_y() * kTile, column0 = wt::workgroup_x() * kTile;
  const int wave_row = wt::wave_id() / 2 * kWaveTile, wave_column = wt::wave_id() % 2 * kWaveTile;
  const reader read_a = reader(wave_row).at(wt::lds_address(&a_tile));
  const reader read_b = reader(wave_column).at(wt::lds_address(&b_tile));

  wt::rt_c<float, kWaveTile, kWaveTile> c = {};
  for (int k0 = 0; k0 < args.k; k0 += kStep) {
    load_elementwise<kThreads>(a_tile, p.a.from(row0, k0));
    load_elementwise<kThreads>(b_tile, p.b.from(column0, k0));
    wt::barrier();
    wt::rt<In, kWaveTile, kStep, operand> a, b;
    wt::load(a, read_a);
    wt::load(b, read_b);
    wt::mma_ABt(c, a, b);
    wt::barrier();  // before the next step overwrites what others still read
  }
  store_scaled(p.c, c, row0 + wave_row, column0 + wave_column, args.alpha, args.beta);
}

}  // namespace

GEMM_KERNELS(gemm_03_matrix_core, kThreads)
