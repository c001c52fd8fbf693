// SPDX-License-Identifier: MIT
// Multiplies by 4-wave interleaving: each SIMD has one wave of a work-group; large tiles fill it alone, small
// ones share it (instances.def). A wave owns 2 x 2 parts of C, one in each quadrant. A K step is four
// clusters, one per part. The MFMAs of a cluster hide the reads of the operand that the next one needs and a
// quarter of the copies for a later step.
//
// Small tiles take more stages: the fewer MFMAs a step has, the more steps ahead its copies must be issued to
// arrive in time. Where tiles go through registers, A's half 1 is fetched in the first cluster of the step
// after: all fetches in one step would occupy L1 for as many cycles as the step's MFMAs take.
#ifndef WT_KERNELS_GEMM_4WAVE_H
#define WT_KERNELS_GEMM_4WAVE_H

#include "gemm_loop.h"

// Returns the store of a cluster, where the four of a step issue Stores stores in turn.
template <int Stores, int Cluster>
consteval auto gemm_4wave_store() {
  constexpr int kIterations = (Stores - Cluster + 3) / 4;
  if constexpr (kIterations > 0) {
    return wt::sched::store(kIterations, 1);
  } else {
    return wt::sched::no_ops;
  }
}

// With Stores, a run follows as many stores (gemm_4wave_persistent.h), and issues as many itself.
template <class Frame, int Stores>
consteval auto make_gemm_4wave_schedule() {
  using namespace wt::sched;
  using ops = gemm_ops<Frame>;
  constexpr int kS = Frame::kStages, kN = Frame::kLeastSteps;  // K steps that data are brought ahead
  constexpr operand a0{kA0, kA0}, a1{kA1, kA1}, b0{kB0, kB0}, b1{kB1, kB1};
  constexpr auto s0 = gemm_4wave_store<Stores, 0>();
  constexpr auto s1 = gemm_4wave_store<Stores, 1>();
  constexpr auto s2 = gemm_4wave_store<Stores, 2>();
  constexpr auto s3 = gemm_4wave_store<Stores, 3>();
  const auto read_a = [](int half, int ahead) { return ops::read(kA0 + half, kA0 + half, ahead); };
  const auto read_b = [](int half, int ahead) { return ops::read(kB0 + half, kB0 + half, ahead); };
  const auto loop = pipeline_in_step(
      gemm_buffers(kS),
      cluster(multiply(0, a0, b0), read_b(1, 0), ops::bring(kA0, kN), ops::fetch(kA1, kN - 1), s0),
      cluster(multiply(1, a0, b1), read_a(1, 0), ops::bring(kB0, kN), s1),
      cluster(multiply(2, a1, b0), read_a(0, 1), ops::bring(kB1, kN), s2),
      cluster(multiply(3, a1, b1), read_b(0, 1), ops::put(kA1, kN), s3));
  // Registers hold one fetch at a time: where that is one step of several that are brought ahead, a put must
  // come in between.
  if constexpr (Frame::kThroughRegisters && Frame::kTogether < kN) {
    static_assert(Stores == 0);
    return loop;
  } else {
    return copies_first(loop, Stores);
  }
}
template <class Frame, int Stores = 0>
inline constexpr auto gemm_4wave_schedule = make_gemm_4wave_schedule<Frame, Stores>();

// Waves that have a SIMD to themselves have AGPRs, to which accumulators are pinned; those that share one
// (instances.def) have VGPRs enough for all.
inline constexpr int kLargestShared = wt::target::kGfx950 ? 128 * 128 : 64 * 64;  // elements of a tile
template <class TA, class TB, int BM, int BN, int Stages, gemm_order OrderA = gemm_order::k_contiguous,
          gemm_order OrderB = gemm_order::k_contiguous>
using gemm_4wave_frame =
    gemm_frame<TA, TB, BM, BN, 2, 2,
               (BM * BN > kLargestShared ? wt::placement::pinned : wt::placement::compiler), kStepBytesOfChip,
               Stages, wt::swizzle_for_row<kStepBytesOfChip>, gemm_rows<TA, OrderA>, gemm_rows<TB, OrderB>>;
template <class TA, class TB, int BM, int BN, int Stages,
          class Frame = gemm_4wave_frame<TA, TB, BM, BN, Stages>>
using gemm_4wave = gemm_loop<Frame, gemm_4wave_schedule<Frame>, 2>;
// Names the same for operands in these orders.
template <class TA, class TB, int BM, int BN, int Stages, gemm_order OrderA, gemm_order OrderB>
using gemm_4wave_ordered =
    gemm_4wave<TA, TB, BM, BN, Stages, gemm_4wave_frame<TA, TB, BM, BN, Stages, OrderA, OrderB>>;

#define GEMM_4WAVE_KERNELS(pairs, ...) GEMM_KERNELS(pairs, gemm_scheduled, gemm_4wave, __VA_ARGS__)

#endif
