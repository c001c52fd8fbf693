// SPDX-License-Identifier: MIT
// This is rung 02, LDS tiling. Idea: a wave brings its tiles of A and of B into LDS once, as floats, and
// every lane reads its operands there: A is read from memory by a sixteenth of the lanes as before, B by a
// quarter. The tile is 16 x 16, and 256 threads compute one element of C each; each of the four waves has
// tiles of its own, for 4 rows of C, by a K step of 16. ROCm blogs published 4.80 TFLOP/s at M = N = K = 4096
// on MI355X for this step (FP8 GEMM on CDNA4, 2026).
#include "gemm_problem.h"

namespace {

constexpr int kWaves = 4, kThreads = kWaves * wt::target::kWaveLanes;
constexpr int kWaveM = 4, kTileM = kWaves * kWaveM, kTileN = 16, kStep = 16;

struct wave_tiles {
  float a[kWaveM][kStep], b[kStep][kTileN];
};

// Returns one element as a float, 0 outside the matrix.
template <class In>
WT_DEVICE float element(const wt::gl<const In> &from, int row, int column) {
  const float value = wt::fp8_to_f32(from.load_clamped(row, column));
  return from.contains(row, column) ? value : 0.0f;
}

template <class In, class Out>
WT_DEVICE void gemm_02_lds_tiled(const wt_gemm_args &args) {
  WT_SHARED wave_tiles tiles[kWaves];
  const gemm_problem<In, Out> p(args);
  const int wave = wt::wave_id(), x = wt::lane_id() % 16, y = wt::lane_id() / 16;
  wave_tiles &tile = tiles[wave];
  const int row = wt::workgroup_y() * kTileM + wave * kWaveM + y;
  const int column = wt::workgroup_x() * kTileN + x;

  float sum = 0.0f;
  for (int k0 = 0; k0 < args.k; k0 += kStep) {
    tile.a[y][x] = element(p.a, row, k0 + x);
    wt::unrolled<kStep / kWaveM>([&](auto i) WT_INLINE {
      const int k = i * kWaveM + y;
      tile.b[k][x] = element(p.b, column, k0 + k);
    });
    wt::barrier();
    wt::unrolled<kStep>([&](auto k) WT_INLINE { sum = __builtin_fmaf(tile.a[y][k], tile.b[k][x], sum); });
    wt::barrier();  // before the next step overwrites what others still read
  }

  if (row >= args.m || column >= args.n) return;
  Out *const c = p.c.from(row, column).data;
  float value = args.alpha * sum;
  if (args.beta != 0.0f) value = __builtin_fmaf(args.beta, wt::to_f32(*c), value);
  *c = wt::from_f32<Out>(value);
}

}  // namespace

GEMM_KERNELS(gemm_02_lds_tiled, kThreads)
