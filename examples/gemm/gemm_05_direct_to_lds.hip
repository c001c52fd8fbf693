// SPDX-License-Identifier: MIT
// Rung 05, direct global-to-LDS. Idea: the load writes LDS itself, without passing through registers: 16
// bytes per lane on gfx950, 4 on gfx942. One instruction of a wave fills 64 times that in a row, so the
// lanes' global addresses decide what lands where. Tile 128 x 128, K step 128, four waves of 64 x 64.
// Published for this step: 506.70 TFLOP/s at M = N = K = 4096 on MI355X (ROCm blogs, FP8 GEMM on CDNA4,
// 2026).
#include "gemm_tile_128.h"

namespace {

using namespace gemm_tile_128;

struct direct_loader {
  static constexpr int kLaneBytes = wt::target::kDirectToLdsBytes, kAlignment = kLaneBytes;
  static constexpr int kCopyBytes = kLaneBytes * wt::target::kWaveLanes;  // by one instruction
  static constexpr int kCopies = tile<wt::fp8e4m3>::kBytes / (kCopyBytes * kThreads / wt::target::kWaveLanes);

  int start;                                 // in the tile, of this wave's first copy
  int a_offset[kCopies], b_offset[kCopies];  // in global memory, from the tile's first element

  WT_DEVICE direct_loader(int a_stride, int b_stride) : start(wt::wave_id() * kCopies * kCopyBytes) {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      const int place = start + i * kCopyBytes + wt::lane_id() * kLaneBytes;  // where this lane's bytes land
      const int row = place / kStep, column = place % kStep;
      a_offset[i] = row * a_stride + column;
      b_offset[i] = row * b_stride + column;
    }
  }

  template <class In>
  WT_DEVICE void copy(tile<In> &to, const wt::gl<const In> &from, const int (&offset)[kCopies]) const {
    const wt::buffer memory = wt::make_buffer(from.data, static_cast<int>(from.span_bytes(kTile, kStep)));
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      wt::buffer_load_to_lds<kLaneBytes>(memory, offset[i], to.bytes + start + i * kCopyBytes);
    }
  }

  template <class In>
  WT_DEVICE void load(tile<In> &a_tile, const wt::gl<const In> &a, tile<In> &b_tile,
                      const wt::gl<const In> &b) const {
    copy(a_tile, a, a_offset);
    copy(b_tile, b, b_offset);
    wt::wait_vmem<0>();  // copies are counted by vmcnt: this wave's own must land before it enters the
                         // barrier
  }
};

template <class In, class Out>
WT_DEVICE void gemm_05_direct_to_lds(const wt_gemm_args &args) {
  gemm<direct_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_05_direct_to_lds, kThreads)
