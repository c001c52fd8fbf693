// SPDX-License-Identifier: MIT
// GEMM, 4-wave interleave: the pipeline of gemm_4wave.h is a value here, from which waits and barriers are
// derived. Small tiles take more stages: the fewer MFMAs a step has, the more steps ahead its copies must be
// issued to arrive in time.
#ifndef WT_KERNELS_GEMM_4WAVE_DERIVED_H
#define WT_KERNELS_GEMM_4WAVE_DERIVED_H

#include "gemm_loop_derived.h"

template <class Frame>
consteval auto gemm_4wave_schedule() {
  using namespace wt::sched;
  using events = gemm_events<Frame>;
  constexpr int kS = Frame::kStages;
  constexpr operand a0{kA0, kA0}, a1{kA1, kA1}, b0{kB0, kB0}, b1{kB1, kB1};
  const auto copy_a = [](int half) { return copy(kA0 + half, kS, events::kCopyA); };
  const auto copy_b = [](int half) { return copy(kB0 + half, kS, events::kCopyB); };
  const auto read_a = [](int half, int ahead) { return read(kA0 + half, kA0 + half, ahead, events::kReadA); };
  const auto read_b = [](int half, int ahead) { return read(kB0 + half, kB0 + half, ahead, events::kReadB); };
  return pipeline_in_step(buffers{kS, kS, kS, kS},  //
                          cluster(multiply(0, a0, b0), read_b(1, 0), copy_a(0)),
                          cluster(multiply(1, a0, b1), read_a(1, 0), copy_b(0)),
                          cluster(multiply(2, a1, b0), read_a(0, 1), copy_b(1)),
                          cluster(multiply(3, a1, b1), read_b(0, 1), copy_a(1)));
}

template <class TA, class TB, int BM, int BN, int Stages = 2,
          class Frame = gemm_frame<TA, TB, BM, BN, 2, 2, true, kStepBytesOfChip, Stages>>
using gemm_4wave_derived = gemm_loop_derived<Frame, gemm_4wave_schedule<Frame>(), 2>;
template <class TA, class TB, int BM, int BN>
using gemm_4wave_3_stages = gemm_4wave_derived<TA, TB, BM, BN, 3>;

#endif
