// SPDX-License-Identifier: MIT
// GEMM, 8-wave ping-pong: the pipeline of gemm_8wave.h is a value here, from which the waits are derived.
#ifndef WT_KERNELS_GEMM_8WAVE_DERIVED_H
#define WT_KERNELS_GEMM_8WAVE_DERIVED_H

#include "gemm_loop_derived.h"

template <class Frame>
consteval auto gemm_8wave_schedule() {
  using namespace wt::sched;
  using events = gemm_events<Frame>;
  const auto copy_a = [](int half, int ahead) { return copy(kA0 + half, ahead, events::kCopyA); };
  const auto copy_b = [](int half, int ahead) { return copy(kB0 + half, ahead, events::kCopyB); };
  const auto read_a = [](int half) { return read(kA0 + half, kA0, 0, events::kReadA); };
  const auto read_b = [](int half, int ahead) { return read(kB0 + half, kB0 + half, ahead, events::kReadB); };
  const auto quadrant = [](int i, int j) {
    return cluster(multiply(2 * i + j, {kA0, kA0 + i}, {kB0 + j, kB0 + j}));
  };
  return pipeline_ping_pong(Frame::kWaves / 2, buffers{2, 2, 2, 2},               //
                            cluster(read_a(0), copy_a(1, 1)), quadrant(0, 0),     //
                            cluster(read_b(1, 0), copy_b(0, 2)), quadrant(0, 1),  //
                            cluster(read_a(1), copy_a(0, 2)), quadrant(1, 0),     //
                            cluster(read_b(0, 1), copy_b(1, 2)), quadrant(1, 1));
}

template <class TA, class TB, int BM, int BN, class Frame = gemm_frame<TA, TB, BM, BN, 2, 4, false>>
using gemm_8wave_derived = gemm_loop_derived<Frame, gemm_8wave_schedule<Frame>(), 1>;

#endif
