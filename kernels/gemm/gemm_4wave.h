// SPDX-License-Identifier: MIT
// GEMM, 4-wave interleave: one wave per SIMD with all of its registers. A wave owns 2x2 parts of C, one in
// each quadrant; a K step is four blocks, one per part, and every block's MFMAs hide the reads of the operand
// that the next one needs and a quarter of the copies for two steps later.
//
//   block        multiplies   reads meanwhile    copies meanwhile, for step k + 2
//   C[0][0]      a0 b0        b1 of step k       A half 0
//   C[0][1]      a0 b1        a1 of step k       B half 0
//   C[1][0]      a1 b0        a0 of step k + 1   B half 1
//   C[1][1]      a1 b1        b0 of step k + 1   A half 1
//
// A half is copied over only after a barrier that follows the last read of it; it is read only after each
// wave has waited for its own copies and all have met. Waits count the copies that may still be in flight.
//
// Through registers (gemm_frame.h), what was loaded for step k + 1 is written to LDS where step k + 2 would
// be copied, and every other step then loads the next two into the same registers: a step ahead of their use.
#ifndef WT_KERNELS_GEMM_4WAVE_H
#define WT_KERNELS_GEMM_4WAVE_H

#include "gemm_ways.h"

template <class TA, class TB, int BM, int BN>
struct gemm_4wave : gemm_loop_frame<TA, TB, BM, BN, 2, 2, true> {
  using frame = gemm_loop_frame<TA, TB, BM, BN, 2, 2, true>;
  using typename frame::accumulators;
  static constexpr int kCopiesA = frame::a_copier::kCopies, kCopiesB = frame::b_copier::kCopies;
  static constexpr int kCopiesOfStep = 2 * (kCopiesA + kCopiesB);

  WT_DEVICE explicit gemm_4wave(const wt_gemm_args &args) : frame(args) {}

  WT_DEVICE void main_loop(accumulators &c, typename frame::stages &tiles) const {
    gemm_ways<frame> ways(*this, tiles);
    typename frame::a_tile a[2];
    typename frame::b_tile b[2];

    int advance = 0;  // bytes along K of the step whose copies are issued next
    const auto a_copies = [&](auto left, auto stage, int half)
                              WT_INLINE { return ways.a_copies(left, stage, half, advance); };
    const auto b_copies = [&](auto left, auto stage, int half)
                              WT_INLINE { return ways.b_copies(left, stage, half, advance); };
    const auto a_reads = [&](wt::u32 stage, int half)
                             WT_INLINE { return ways.a_reads(a[half], stage, half); };
    const auto b_reads = [&](wt::u32 stage, int half)
                             WT_INLINE { return ways.b_reads(b[half], stage, half); };

    // Both stages, in the order of their use; then the operands of the first block.
    wt::unrolled<2>([&](auto step) WT_INLINE {
      constexpr wt::index<step == 0 ? kFirstStep : 0> kLeft;
      issue_all(a_copies(kLeft, step, 0) + b_copies(kLeft, step, 0) + b_copies(kLeft, step, 1) +
                a_copies(kLeft, step, 1));
      advance += frame::kStepBytes;
    });
    ways.template wait<2 * kCopiesOfStep - kCopiesA - kCopiesB, ways.kPrologueLds>();
    wt::raw_barrier();
    issue_all(a_reads(0, 0) + b_reads(0, 0));

    // One K step, of stage `now`. Left: steps that follow it, 2 standing for more.
    const auto step = [&](auto left, auto now) WT_INLINE {
      constexpr wt::index<left - 2> ahead;  // steps that follow the one that is copied
      ways.template wait<left >= 1 ? kCopiesOfStep : 0, 0>();
      wt::raw_barrier();
      wt::sched::interleave_early(mma_ABt_list(c[0][0], a[0], b[0]), b_reads(now, 1),
                                  a_copies(ahead, now, 0));
      wt::wait_lds<0>();
      wt::sched::interleave_early(mma_ABt_list(c[0][1], a[0], b[1]), a_reads(now, 1),
                                  b_copies(ahead, now, 0));
      ways.template wait<left >= 2 ? kCopiesOfStep : kCopiesA + kCopiesB, 0>();
      if constexpr (left >= 1) wt::raw_barrier();
      wt::sched::interleave_early(mma_ABt_list(c[1][0], a[1], b[0]),
                                  wt::only_if<left >= 1>(a_reads(now ^ 1, 0)), b_copies(ahead, now, 1));
      wt::sched::interleave_early(mma_ABt_list(c[1][1], a[1], b[1]),
                                  wt::only_if<left >= 1>(b_reads(now ^ 1, 0)), a_copies(ahead, now, 1));
      advance += frame::kStepBytes;
    };
    ways.each_step(this->steps, step);
  }
};

#endif
