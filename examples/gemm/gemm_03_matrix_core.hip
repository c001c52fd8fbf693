// SPDX-License-Identifier: MIT
// This is rung 03, matrix core. Idea: MFMA instructions multiply; a wave computes 16 x 16 x 128 at a time (on
// gfx942 in four) from 32 bytes of A and of B per lane. Loads from global memory are still one byte each.
// Four waves of 16 x 16 compute a tile of 32 x 32 in K steps of 128. ROCm blogs published 30.05 TFLOP/s at M
// = N = K = 4096 on MI355X for this step (FP8 GEMM on CDNA4, 2026).
#include "gemm_wave_tiles.h"

namespace {

using namespace gemm_wave_tiles;

// Loads one byte at a time: a lane asks for the next when it has written the one before to LDS.
template <class In>
struct byte_loader {
  using tile = gemm_wave_tiles::tile<In>;
  static constexpr int kAlignment = 1;

  wt::gl<const In> a, b;

  WT_DEVICE byte_loader(const wt::gl<const In> &a, const wt::gl<const In> &b) : a(a), b(b) {}

  WT_DEVICE void load(tile &a_tile, tile &b_tile, int k0) const {
    load_bytes(a_tile, a.from(0, k0));
    load_bytes(b_tile, b.from(0, k0));
  }

 private:
  WT_DEVICE static void load_bytes(tile &to, const wt::gl<const In> &from) {
#pragma unroll 1
    for (int i = wt::lane_id(); i < kWaveTile * kStep; i += kLanes) {
      const int row = i / kStep, column = i % kStep;
      to.template at<wt::u8>(i) = from.contains(row, column) ? from.load_clamped(row, column).bits : 0;
    }
  }
};

template <class In, class Out>
WT_DEVICE void gemm_03_matrix_core(const wt_gemm_args &args) {
  gemm<byte_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_03_matrix_core, kThreads)
