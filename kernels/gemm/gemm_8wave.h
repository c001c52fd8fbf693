// SPDX-License-Identifier: MIT
// GEMM, 8-wave ping-pong: two waves per SIMD, one multiplying while the other moves data. The waves 2x4 own
// a part of each quadrant of C; a K step is four pairs of clusters, each closed by a barrier. Waves 4 to 7
// take one barrier more at the start, so that they are always in the other kind of cluster.
//
//   memory cluster: reads               copies                          then multiplies
//   a, b0 of step k                     A half 1 of step k + 1          C[0][0] += a b0
//   b1 of step k                        B half 1 of step k + 1          C[0][1] += a b1
//   a of step k, half 1                 A half 0 of step k + 2          C[1][0] += a b0
//   nothing                             B half 0 of step k + 2          C[1][1] += a b1
//
// A wave's reads have landed when its next cluster begins, and those of the waves that lag one barrier behind
// when it ends: so a half may be copied over from the second memory cluster after its read on. A half is read
// only after every wave has waited for its own copies and a barrier has followed: A half 0 and B half 0 are
// waited for at the end of the step before, the others at the end of the first cluster.
#ifndef WT_KERNELS_GEMM_8WAVE_H
#define WT_KERNELS_GEMM_8WAVE_H

#include "gemm_ways.h"

template <class TA, class TB, int BM, int BN>
struct gemm_8wave : gemm_frame<TA, TB, BM, BN, 2, 4, false> {
  using frame = gemm_frame<TA, TB, BM, BN, 2, 4, false>;
  using typename frame::accumulators;
  static constexpr int kCopiesA = frame::a_copier::kCopies, kCopiesB = frame::b_copier::kCopies;

  WT_DEVICE explicit gemm_8wave(const wt_gemm_args &args) : frame(args) {}

  WT_DEVICE void main_loop(accumulators &c, typename frame::stages &tiles) const {
    const gemm_ways<frame> ways(*this, tiles);
    typename frame::a_tile a;
    typename frame::b_tile b[2];

    int k = 0;        // bytes along K of the step that is multiplied
    wt::u32 now = 0;  // its stage: 0 or 1
    const auto a_copies = [&](int half, int ahead) WT_INLINE {
      return ways.a_copies((now + ahead) & 1, half, k + ahead * frame::kStepBytes);
    };
    const auto b_copies = [&](int half, int ahead) WT_INLINE {
      return ways.b_copies((now + ahead) & 1, half, k + ahead * frame::kStepBytes);
    };
    const auto read_a_half = [&](int half) WT_INLINE { issue_all(ways.a_reads(a, now, half)); };
    const auto read_b_half = [&](int half) WT_INLINE { issue_all(ways.b_reads(b[half], now, half)); };
    const wt::sched::ping_pong pair{wt::wave_id() >= 4};
    const auto multiply = [&](int i, int j)
                              WT_INLINE { pair.compute([&]() WT_INLINE { wt::mma_ABt(c[i][j], a, b[j]); }); };

    constexpr int kA = kCopiesA, kB = kCopiesB;
    // One K step. Left: steps that follow it, 2 standing for more.
    const auto step = [&](auto left) WT_INLINE {
      read_b_half(0);
      read_a_half(0);
      issue_all(wt::only_if<left >= 1>(a_copies(1, 1)));
      wt::wait_vmem<left >= 1 ? 2 * kA + kB : 0>();
      multiply(0, 0);

      read_b_half(1);
      issue_all(wt::only_if<left >= 1>(b_copies(1, 1)));
      multiply(0, 1);

      read_a_half(1);
      issue_all(wt::only_if<left >= 2>(a_copies(0, 2)));
      multiply(1, 0);

      issue_all(wt::only_if<left >= 2>(b_copies(0, 2)));
      if constexpr (left >= 1) wt::wait_vmem<left >= 2 ? 2 * kA + 2 * kB : kA + kB>();
      multiply(1, 1);

      k += frame::kStepBytes;
      now ^= 1;
    };

    issue_all(a_copies(0, 0) + b_copies(0, 0) + b_copies(1, 0) + a_copies(1, 0) + a_copies(0, 1) +
              b_copies(0, 1));
    wt::wait_vmem<2 * kA + 2 * kB>();
    pair.shift_in();
    wt::raw_barrier();
#pragma unroll 1
    for (int i = 2; i < this->steps; ++i) step(wt::index<2>{});
    step(wt::index<1>{});
    step(wt::index<0>{});
    pair.shift_out();
  }
};

#endif
