// SPDX-License-Identifier: MIT
// GEMM, 8-wave ping-pong: two waves share a SIMD, and one multiplies while the other moves data. The waves
// stand 2 x 4, and each owns a part of every quadrant of C. A K step is four pairs of clusters, each closed
// by a barrier. Waves 4 to 7 take one more barrier at the start, so that they are always in the other kind of
// cluster.
//
//   memory cluster: reads               copies                          then multiplies
//   a of step k, half 0                 A half 1 of step k + 1          C[0][0] += a b0
//   b1 of step k                        B half 0 of step k + 2          C[0][1] += a b1
//   a of step k, half 1                 A half 0 of step k + 2          C[1][0] += a b0
//   b0 of step k + 1                    B half 1 of step k + 2          C[1][1] += a b1
//
// A wave's reads have landed two clusters later, and the reads of the waves that lag one barrier behind have
// landed when that cluster ends. So a half may be overwritten from the second memory cluster after its read,
// and that is where it is copied. A half is read only after every wave has waited for its own copies and a
// barrier has followed: each memory cluster ends with the wait for what the next one reads, five copies of
// halves earlier.
//
// Where tiles go through registers (gemm_frame.h), the place of a copy in the table writes the step before to
// LDS, and every other step also loads two steps into the same registers. What a memory cluster writes has
// landed when the next one ends, because its waits for LDS count only its own operations.
#ifndef WT_KERNELS_GEMM_8WAVE_H
#define WT_KERNELS_GEMM_8WAVE_H

#include "gemm_paths.h"

template <class TA, class TB, int BM, int BN>
struct gemm_8wave : gemm_loop_frame<TA, TB, BM, BN, 2, 4, false> {
  using frame = gemm_loop_frame<TA, TB, BM, BN, 2, 4, false>;
  using typename frame::accumulators;
  static constexpr int kCopiesA = frame::a_copier::kCopies, kCopiesB = frame::b_copier::kCopies;

  WT_DEVICE explicit gemm_8wave(const wt_gemm_args &args) : frame(args) {}

  WT_DEVICE void main_loop(accumulators &c, typename frame::stages &tiles) const {
    gemm_paths<frame> paths(*this, tiles);
    typename frame::a_tile a;
    typename frame::b_tile b[2];

    int k = 0;  // bytes along K of the step that is multiplied
    // Copies for the step that comes `ahead` steps after the current one, which is in stage `now` and which
    // `left` steps follow.
    const auto a_copies = [&](auto left, auto now, int half, auto ahead) WT_INLINE {
      return paths.a_copies(wt::index<left - ahead>{}, stage_after<ahead>(now), half,
                            k + ahead * frame::kStepBytes);
    };
    const auto b_copies = [&](auto left, auto now, int half, auto ahead) WT_INLINE {
      return paths.b_copies(wt::index<left - ahead>{}, stage_after<ahead>(now), half,
                            k + ahead * frame::kStepBytes);
    };
    const auto read_a_half = [&](wt::u32 stage, int half)
                                 WT_INLINE { issue_all(paths.a_reads(a, stage, half)); };
    const auto read_b_half = [&](wt::u32 stage, int half)
                                 WT_INLINE { issue_all(paths.b_reads(b[half], stage, half)); };
    const wt::sched::ping_pong pair{wt::wave_id() >= 4};
    // A multiplying cluster begins when the first fragment of the half of A before it has arrived: kLater
    // LDS reads may still be in flight.
    constexpr int kReadsA = frame::a_tile::kTall * frame::a_tile::kWide * frame::a_reader::kReads;
    constexpr int kReadsB = frame::b_tile::kTall * frame::b_tile::kWide * frame::b_reader::kReads;
    constexpr int kRest = kReadsA - frame::a_reader::kReads,
                  kLater = kRest < wt::kAnyLds ? kRest : wt::kAnyLds - 1;
    const auto multiply = [&](int i, int j, auto in_flight) WT_INLINE {
      pair.compute<in_flight>([&]() WT_INLINE { wt::mma_ABt(c[i][j], a, b[j]); });
    };

    constexpr int kA = kCopiesA, kB = kCopiesB;
    // One K step, whose tiles are in stage `now`. `left` steps follow it, where 2 stands for two or more.
    const auto step = [&](auto left, auto now) WT_INLINE {
      read_a_half(now, 0);
      issue_all(a_copies(left, now, 1, wt::index<1>{}));
      paths.template wait<left >= 1 ? 3 * kA + 2 * kB : kA>();
      multiply(0, 0, wt::index<kLater>{});

      read_b_half(now, 1);
      issue_all(b_copies(left, now, 0, wt::index<2>{}));
      paths.template wait<left >= 2 ? 2 * kA + 3 * kB : left >= 1 ? 2 * kA + 2 * kB : 0>();
      multiply(0, 1, wt::index<0>{});

      read_a_half(now, 1);
      issue_all(a_copies(left, now, 0, wt::index<2>{}));
      if constexpr (left >= 1) paths.template wait<left >= 2 ? 3 * kA + 2 * kB : 2 * kA + kB>();
      multiply(1, 0, wt::index<kLater>{});

      if constexpr (left >= 1) read_b_half(now ^ 1, 0);
      issue_all(b_copies(left, now, 1, wt::index<2>{}));
      if constexpr (left >= 1) paths.template wait<left >= 2 ? 2 * kA + 3 * kB : kA + kB>();
      multiply(1, 1, wt::index<left >= 1 ? kReadsB : 0>{});

      k += frame::kStepBytes;
    };

    constexpr wt::index<0> kNow;
    constexpr wt::index<1> kNext;
    constexpr wt::index<kFirstStep> kFirst;
    issue_all(b_copies(kFirst, kNow, 0, kNow) + a_copies(kFirst, kNow, 0, kNow) +
              b_copies(kFirst, kNow, 1, kNow) + a_copies(kFirst, kNow, 1, kNow));
    issue_all(b_copies(kNext, kNow, 0, kNext) + a_copies(kNext, kNow, 0, kNext) +
              b_copies(kNext, kNow, 1, kNext));
    paths.template wait<2 * kA + 3 * kB, paths.kPrologueLds>();
    wt::raw_barrier();
    read_b_half(0, 0);
    pair.shift_in();
    paths.each_step(this->steps, step);
    pair.shift_out();
  }
};

#endif
