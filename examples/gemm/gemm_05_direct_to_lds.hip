// SPDX-License-Identifier: MIT
// Rung 05, direct global-to-LDS. Idea: the load writes LDS itself, without passing through registers: 16
// bytes per lane on gfx950, 4 on gfx942. One instruction of a wave fills 64 times that in a row, so the
// lanes' global addresses decide what lands where. Tile 128 x 128, K step 128, four waves of 64 x 64.
// Published for this step: 506.70 TFLOP/s at M = N = K = 4096 on MI355X (ROCm blogs, FP8 GEMM on CDNA4,
// 2026).
#include "gemm_tile_128.h"

namespace {

using namespace gemm_tile_128;

template <class In>
struct direct_loader {
  using tile = gemm_tile_128::tile<In>;
  static constexpr int kLaneBytes = wt::target::kDirectToLdsBytes, kAlignment = kLaneBytes;
  static constexpr int kCopyBytes = kLaneBytes * wt::target::kWaveLanes;  // by one instruction
  static constexpr int kCopies = tile::kBytes / (kLaneBytes * kThreads);  // of each wave

  wt::buffer a_memory, b_memory;
  int a_offset[kCopies], b_offset[kCopies];  // in memory, from the tile's first element
  int start;                                 // in the tile, of this wave's first copy

  WT_DEVICE direct_loader(const wt::gl<const In> &a, const wt::gl<const In> &b)
      : a_memory(wt::memory_of(a, kTile)),
        b_memory(wt::memory_of(b, kTile)),
        start(wt::wave_id() * kCopies * kCopyBytes) {
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      const int place = start + i * kCopyBytes + wt::lane_id() * kLaneBytes;  // where this lane's bytes land
      const int row = place / kStep, column = place % kStep;
      a_offset[i] = row * a.row_bytes() + column;
      b_offset[i] = row * b.row_bytes() + column;
    });
  }

  WT_DEVICE void load(tile &a_tile, tile &b_tile, int k0) const {
    const wt::u32 to_a = wt::lds_address(&a_tile) + start, to_b = wt::lds_address(&b_tile) + start;
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      wt::buffer_load_to_lds<kLaneBytes>(a_memory, a_offset[i], k0, to_a + i * kCopyBytes);
      wt::buffer_load_to_lds<kLaneBytes>(b_memory, b_offset[i], k0, to_b + i * kCopyBytes);
    });
    wt::wait_vmem<0>();  // copies are counted by vmcnt: this wave's own must land before the barrier
  }
};

template <class In, class Out>
WT_DEVICE void gemm_05_direct_to_lds(const wt_gemm_args &args) {
  gemm<direct_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_05_direct_to_lds, kThreads)
