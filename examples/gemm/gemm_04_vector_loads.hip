// SPDX-License-Identifier: MIT
// Rung 04, vectorised loads. Idea: 16 bytes per load. A lane reads two 16-byte pieces of each tile into
// registers (buffer_load_dwordx4) and writes them to LDS (ds_write_b128). Four waves of 16 x 16 compute a
// tile of 32 x 32 in K steps of 128. ROCm blogs published 336.88 TFLOP/s at M = N = K = 4096 on MI355X for
// this step (FP8 GEMM on CDNA4, 2026).
#include "gemm_wave_tiles.h"

namespace {

using namespace gemm_wave_tiles;

template <class In>
struct vector_loader {
  using tile = gemm_wave_tiles::tile<In>;
  static constexpr int kAlignment = 4;  // dword and wider buffer loads ignore the two low address bits
  static constexpr int kPieces = tile::kBytes / 16 / kLanes;
  using pieces = wt::u32x4[kPieces];

  wt::buffer a_memory, b_memory;
  int a_offset[kPieces], b_offset[kPieces];  // in memory, from the tile's first element

  // Says where piece i of this lane is: 8 lanes read a row of 128 bytes.
  static WT_DEVICE int place(int i) { return (i * kLanes + wt::lane_id()) * 16; }

  // Rows past the matrix lie past the end of the descriptor and read zeros.
  WT_DEVICE vector_loader(const wt::gl<const In> &a, const wt::gl<const In> &b)
      : a_memory(wt::memory_of(a, kWaveTile)), b_memory(wt::memory_of(b, kWaveTile)) {
    wt::unrolled<kPieces>([&](auto i) WT_INLINE {
      const int row = place(i) / kStep, column = place(i) % kStep;
      a_offset[i] = row * a.row_bytes() + column;
      b_offset[i] = row * b.row_bytes() + column;
    });
  }

  WT_DEVICE void load(tile &a_tile, tile &b_tile, int k0) const {
    pieces a, b;
    wt::unrolled<kPieces>([&](auto i) WT_INLINE {
      a[i] = wt::buffer_load<wt::u32x4>(a_memory, a_offset[i], k0);
      b[i] = wt::buffer_load<wt::u32x4>(b_memory, b_offset[i], k0);
    });
    wt::unrolled<kPieces>([&](auto i) WT_INLINE {
      a_tile.template at<wt::u32x4>(place(i)) = a[i];
      b_tile.template at<wt::u32x4>(place(i)) = b[i];
    });
  }
};

template <class In, class Out>
WT_DEVICE void gemm_04_vector_loads(const wt_gemm_args &args) {
  gemm<vector_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_04_vector_loads, kThreads)
