// SPDX-License-Identifier: MIT
// GEMM, 8-wave ping-pong: two waves share a SIMD, and one multiplies while the other moves data. The waves
// stand 2 x 4, and each owns a part of every quadrant of C. A K step is four pairs of clusters; waves 4 to 7
// are always in the other kind of cluster.
//
// The schedule waits for all of an operand before a cluster multiplies. On gfx942 the loop is predicted to
// use 98.4% of the matrix cores so. A loop by hand that waited fragment by fragment reached 99.9%, but
// launches took as long: 57.2 thousand cycles to 57.3 in BF16, 90.5 to 90.2 in FP8 (M = 1536, N = K = 2048,
// 256 x 256).
#ifndef WT_KERNELS_GEMM_8WAVE_H
#define WT_KERNELS_GEMM_8WAVE_H

#include "gemm_loop.h"

template <class Frame>
consteval auto make_gemm_8wave_schedule() {
  using namespace wt::sched;
  using ops = gemm_ops<Frame>;
  constexpr int kS = Frame::kStages;
  const auto read_a = [](int half) { return ops::read(kA0 + half, kA0, 0); };
  const auto read_b = [](int half, int ahead) { return ops::read(kB0 + half, kB0 + half, ahead); };
  const auto quadrant = [](int i, int j) {
    return cluster(multiply(2 * i + j, {kA0, kA0 + i}, {kB0 + j, kB0 + j}));
  };
  return copies_first(pipeline_ping_pong(Frame::kWaves / 2, gemm_buffers(kS),                        //
                                         cluster(read_a(0), ops::bring(kA1, 1)), quadrant(0, 0),     //
                                         cluster(read_b(1, 0), ops::bring(kB0, 2)), quadrant(0, 1),  //
                                         cluster(read_a(1), ops::bring(kA0, 2)), quadrant(1, 0),     //
                                         cluster(read_b(0, 1), ops::bring(kB1, 2)), quadrant(1, 1)));
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
