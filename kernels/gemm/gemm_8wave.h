// SPDX-License-Identifier: MIT
// GEMM, 8-wave ping-pong: two waves per SIMD, one multiplying while the other moves data. The waves 2x4 own
// a part of each quadrant of C; a K step is four pairs of clusters, each closed by a barrier. Waves 4 to 7
// take one barrier more at the start, so that they are always in the other kind of cluster.
//
//   memory cluster: reads               copies                          then multiplies
//   a of step k, half 0                 A half 1 of step k + 1          C[0][0] += a b0
//   b1 of step k                        B half 0 of step k + 2          C[0][1] += a b1
//   a of step k, half 1                 A half 0 of step k + 2          C[1][0] += a b0
//   b0 of step k + 1                    B half 1 of step k + 2          C[1][1] += a b1
//
// A wave's reads have landed when its next but one cluster begins, and those of the waves that lag one
// barrier behind when it ends: so a half may be copied over from the second memory cluster after its read on,
// and is copied there. A half is read only after every wave has waited for its own copies and a barrier has
// followed: each memory cluster ends with the wait for what the next one reads, five copies of halves before.
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
    gemm_ways<frame> ways(*this, tiles);
    typename frame::a_tile a;
    typename frame::b_tile b[2];

    int k = 0;  // bytes along K of the step that is multiplied
    const auto a_copies = [&](wt::u32 now, int half, int ahead) WT_INLINE {
      return ways.a_copies((now + ahead) & 1, half, k + ahead * frame::kStepBytes);
    };
    const auto b_copies = [&](wt::u32 now, int half, int ahead) WT_INLINE {
      return ways.b_copies((now + ahead) & 1, half, k + ahead * frame::kStepBytes);
    };
    const auto read_a_half = [&](wt::u32 stage, int half)
                                 WT_INLINE { issue_all(ways.a_reads(a, stage, half)); };
    const auto read_b_half = [&](wt::u32 stage, int half)
                                 WT_INLINE { issue_all(ways.b_reads(b[half], stage, half)); };
    const wt::sched::ping_pong pair{wt::wave_id() >= 4};
    // A cluster that begins with the first fragment of the half of A that was read before it.
    constexpr int kReadsA = frame::a_tile::kTall * frame::a_tile::kWide * frame::a_reader::kReads;
    constexpr int kReadsB = frame::b_tile::kTall * frame::b_tile::kWide * frame::b_reader::kReads;
    constexpr int kRest = kReadsA - frame::a_reader::kReads,
                  kLater = kRest < wt::kAnyLds ? kRest : wt::kAnyLds - 1;
    const auto multiply = [&](int i, int j, auto in_flight) WT_INLINE {
      pair.compute<in_flight>([&]() WT_INLINE { wt::mma_ABt(c[i][j], a, b[j]); });
    };

    constexpr int kA = kCopiesA, kB = kCopiesB;
    // One K step, of stage `now`. Left: steps that follow it, 2 standing for more.
    const auto step = [&](auto left, wt::u32 now) WT_INLINE {
      read_a_half(now, 0);
      issue_all(wt::only_if<left >= 1>(a_copies(now, 1, 1)));
      wt::wait_vmem<left >= 1 ? 3 * kA + 2 * kB : kA>();
      multiply(0, 0, wt::index<kLater>{});

      read_b_half(now, 1);
      issue_all(wt::only_if<left >= 2>(b_copies(now, 0, 2)));
      wt::wait_vmem<left >= 2 ? 2 * kA + 3 * kB : left >= 1 ? 2 * kA + 2 * kB : 0>();
      multiply(0, 1, wt::index<0>{});

      read_a_half(now, 1);
      issue_all(wt::only_if<left >= 2>(a_copies(now, 0, 2)));
      if constexpr (left >= 1) wt::wait_vmem<left >= 2 ? 3 * kA + 2 * kB : 2 * kA + kB>();
      multiply(1, 0, wt::index<kLater>{});

      if constexpr (left >= 1) read_b_half(now ^ 1, 0);
      issue_all(wt::only_if<left >= 2>(b_copies(now, 1, 2)));
      if constexpr (left >= 1) wt::wait_vmem<left >= 2 ? 2 * kA + 3 * kB : kA + kB>();
      multiply(1, 1, wt::index < left >= 1 ? kReadsB : 0 > {});

      k += frame::kStepBytes;
    };

    issue_all(b_copies(0, 0, 0) + a_copies(0, 0, 0) + b_copies(0, 1, 0) + a_copies(0, 1, 0));
    issue_all(b_copies(0, 0, 1) + a_copies(0, 0, 1) + b_copies(0, 1, 1));
    wt::wait_vmem<2 * kA + 3 * kB>();
    wt::raw_barrier();
    read_b_half(0, 0);
    pair.shift_in();
    // Both stages in a turn: where they lie in LDS is then known while compiling.
    const int turns = (this->steps - 2) / 2, odd = this->steps & 1;
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
      ways.forget_places();
      step(wt::index<2>{}, 0);
      step(wt::index<2>{}, 1);
    }
#pragma unroll 1
    for (int i = 0; i < odd; ++i) step(wt::index<2>{}, 0);
    step(wt::index<1>{}, odd);
    step(wt::index<0>{}, odd ^ 1);
    pair.shift_out();
  }
};

#endif
