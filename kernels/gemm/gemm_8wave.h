// SPDX-License-Identifier: MIT
// Multiplies by 8-wave ping-pong: two waves share a SIMD, and one multiplies while the other moves data. The
// waves stand 2 x 4, and each owns a part of every quadrant of C. A K step is four pairs of clusters; waves 4
// to 7 are always in the other kind of cluster.
//
// The loop begins with a cluster that multiplies, so that it branches in front of a barrier at which a wave
// that has moved data waits anyway. Where it branches behind MFMAs, the other half of the waves waits for the
// branch, and the matrix cores are predicted to idle for 18 cycles of each K step.
#ifndef WT_KERNELS_GEMM_8WAVE_H
#define WT_KERNELS_GEMM_8WAVE_H

#include "gemm_loop.h"

template <class Frame>
consteval auto make_gemm_8wave_schedule() {
  using namespace wt::sched;
  using ops = gemm_ops<Frame>;
  const auto read_a = [](int half, int ahead) { return ops::read(kA0 + half, kA0, ahead); };
  const auto read_b = [](int half, int ahead) { return ops::read(kB0 + half, kB0 + half, ahead); };
  const auto a0 = [=](int ahead) { return cluster(read_a(0, ahead), ops::bring(kA1, ahead + 1)); };
  const auto a1 = cluster(read_a(1, 0), ops::bring(kA0, 2));
  const auto b0 = cluster(read_b(0, 1), ops::bring(kB1, 2)), b1 = cluster(read_b(1, 0), ops::bring(kB0, 2));
  const auto c = [](int i, int j) {
    return cluster(multiply(2 * i + j, {kA0, kA0 + i}, {kB0 + j, kB0 + j}));
  };
  const auto ping_pong = [](auto... clusters) {
    return copies_first(pipeline_ping_pong(Frame::kWaves / 2, gemm_buffers(Frame::kStages), clusters...));
  };
  // In FP8 on gfx950 fragments take eight registers: with A0 read ahead, clang 22 spills in the epilogue of
  // 256 x 256, and smaller tiles are predicted up to 1.6% slower.
  if constexpr (!wt::target::kGfx950 || !wt::is_fp8<typename Frame::a_tile::element>) {
    return ping_pong(c(0, 0), b1, c(0, 1), a1, c(1, 0), b0, c(1, 1), a0(1));
  } else {
    return ping_pong(a0(0), c(0, 0), b1, c(0, 1), a1, c(1, 0), b0, c(1, 1));
  }
}
template <class Frame>
inline constexpr auto gemm_8wave_schedule = make_gemm_8wave_schedule<Frame>();

template <class TA, class TB, int BM, int BN, int Stages>
using gemm_8wave_frame = gemm_frame<TA, TB, BM, BN, 2, 4, wt::placement::compiler, kStepBytesOfChip, Stages>;
template <class TA, class TB, int BM, int BN, int Stages,
          class Frame = gemm_8wave_frame<TA, TB, BM, BN, Stages>>
using gemm_8wave = gemm_loop<Frame, gemm_8wave_schedule<Frame>, 1>;

#define GEMM_8WAVE_KERNELS(pairs, ...) GEMM_KERNELS(pairs, gemm_scheduled, gemm_8wave, __VA_ARGS__)

#endif
