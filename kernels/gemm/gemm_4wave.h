// SPDX-License-Identifier: MIT
// GEMM, 4-wave interleave: each SIMD has one wave, which has all of its registers. A wave owns 2 x 2 parts of
// C, one in each quadrant. A K step is four blocks, one per part. The MFMAs of a block hide the reads of the
// operand that the next block needs and a quarter of the copies for two steps later.
//
//   block        multiplies   reads meanwhile    copies meanwhile, for step k + 2
//   C[0][0]      a0 b0        b1 of step k       A half 0
//   C[0][1]      a0 b1        a1 of step k       B half 0
//   C[1][0]      a1 b0        a0 of step k + 1   B half 1
//   C[1][1]      a1 b1        b0 of step k + 1   A half 1
//
// A half is overwritten only after a barrier that follows the last read of it. It is read only after each
// wave has waited for its own copies and all waves have met at a barrier. Waits count the copies that may
// still be in flight.
//
// Where tiles go through registers (gemm_frame.h), the loop writes step k + 1 to LDS where it would copy step
// k + 2, and every other step loads the next two steps into the same registers, one step before they are
// used. Loads of A's half 1 move to the first block of the step after: all in one step, they would occupy L1
// for as many cycles as the step's MFMAs take.
#ifndef WT_KERNELS_GEMM_4WAVE_H
#define WT_KERNELS_GEMM_4WAVE_H

#include "gemm_paths.h"

template <class TA, class TB, int BM, int BN>
struct gemm_4wave : gemm_loop_frame<TA, TB, BM, BN, 2, 2, true> {
  using frame = gemm_loop_frame<TA, TB, BM, BN, 2, 2, true>;
  using typename frame::accumulators;
  static constexpr int kCopiesA = frame::a_copier::kCopies, kCopiesB = frame::b_copier::kCopies;
  static constexpr int kCopiesOfStep = 2 * (kCopiesA + kCopiesB);

  using path_type = gemm_paths<frame>;

  using frame::frame;

  WT_DEVICE void main_loop(accumulators &c, typename frame::stages &tiles) const {
    path_type paths(*this, tiles);
    issue_all(first_copies(paths) + other_copies(paths));
    multiply(c, paths, this->steps, gemm_nothing_late{});
  }

  // The copies of both stages in the order of their use: those for the first block, then all others.
  WT_DEVICE static auto first_copies(path_type &paths) { return copies_for_first<0>(paths); }
  WT_DEVICE static auto other_copies(path_type &paths) {
    return copies_for_others<0>(paths) + copies_for_first<1>(paths) + copies_for_others<1>(paths);
  }

  // Multiplies `steps` K steps, whose first copies have been issued already. `late` says what else happens in
  // the first steps: gemm_nothing_late, or stores of the tile before, in which case c is overwritten.
  template <class Late>
  WT_DEVICE static void multiply(accumulators &c, path_type &paths, int steps, const Late &late) {
    typename frame::a_tile a[2];
    typename frame::b_tile b[2];

    int advance = 2 * frame::kStepBytes;  // bytes along K of the step whose copies are issued next
    const auto a_copies = [&](auto left, auto stage, int half)
                              WT_INLINE { return paths.a_copies(left, stage, half, advance); };
    const auto b_copies = [&](auto left, auto stage, int half)
                              WT_INLINE { return paths.b_copies(left, stage, half, advance); };
    const auto a_reads = [&](wt::u32 stage, int half)
                             WT_INLINE { return paths.a_reads(a[half], stage, half); };
    const auto b_reads = [&](wt::u32 stage, int half)
                             WT_INLINE { return paths.b_reads(b[half], stage, half); };

    // The operands of the first block.
    path_type::template wait<in_flight<2 * kCopiesOfStep - kCopiesA - kCopiesB + Late::kBefore>,
                             path_type::kPrologueLds>();
    wt::raw_barrier();
    issue_all(a_reads(0, 0) + b_reads(0, 0));

    // One K step, whose tiles are in stage `now`. `left` steps follow it, where 2 stands for two or more.
    // `number` is the step's number if it is one of the first Late::kSteps, and kNoLonger otherwise.
    constexpr int kNoLonger = 1000;
    const auto numbered = [&](auto left, auto now, auto number) WT_INLINE {
      constexpr wt::index<left - 2> ahead;  // steps that follow the one that is copied
      constexpr bool kFromZero = Late::kSteps > 0 && number == 0;
      constexpr int kStored = late_stores<Late>(4 * number - 4, 4 * number);          // in the step before
      constexpr int kStoredHere = late_stores<Late>(4 * number - 2, 4 * number + 2);  // since its middle
      const auto block = [&](auto place, const auto &reads, const auto &copies) WT_INLINE {
        constexpr int kI = place / 2, kJ = place % 2;
        constexpr bool kIsLate = number < Late::kSteps;
        constexpr int kBlock = kIsLate ? 4 * number + place : kNoLonger;
        wt::sched::interleave_early(wt::mma_ABt_list<kFromZero>(c[kI][kJ], a[kI], b[kJ]), reads, copies,
                                    late.template stores<kBlock>());
      };
      path_type::template wait<
          left >= 1 ? in_flight<kCopiesOfStep + kStored + (number <= 1 ? Late::kBefore : 0)> : 0, 0>();
      wt::raw_barrier();
      if constexpr (frame::kThroughRegisters && now == 1) {
        const auto loads =
            paths.template a_copies<gemm_part::loads>(ahead, wt::index<0>{}, 1, advance - frame::kStepBytes);
        block(wt::index<0>{}, b_reads(now, 1), a_copies(ahead, now, 0) + loads);
      } else {
        block(wt::index<0>{}, b_reads(now, 1), a_copies(ahead, now, 0));
      }
      wt::wait_lds<0>();
      block(wt::index<1>{}, a_reads(now, 1), b_copies(ahead, now, 0));
      path_type::template wait<
          left >= 2 ? in_flight<kCopiesOfStep + kStoredHere + (number == 0 ? Late::kBefore : 0)>
                    : kCopiesA + kCopiesB,
          0>();
      if constexpr (left >= 1) wt::raw_barrier();
      block(wt::index<2>{}, wt::only_if<left >= 1>(a_reads(now ^ 1, 0)), b_copies(ahead, now, 1));
      block(wt::index<3>{}, wt::only_if<left >= 1>(b_reads(now ^ 1, 0)),
            paths.template a_copies<gemm_part::writes>(ahead, now, 1, advance));
      advance += frame::kStepBytes;
    };
    wt::unrolled<Late::kSteps>([&](auto number)
                                   WT_INLINE { numbered(wt::index<2>{}, wt::index<number % 2>{}, number); });
    paths.each_step(steps - Late::kSteps,
                    [&](auto left, auto now) WT_INLINE { numbered(left, now, wt::index<kNoLonger>{}); });
  }

 private:
  // The copies of step 0 or 1: for its first block, and for its other blocks.
  template <int Step>
  WT_DEVICE static auto copies_for_first(path_type &paths) {
    return paths.a_copies(kLeftOf<Step>, wt::index<Step>{}, 0, Step * frame::kStepBytes) +
           paths.b_copies(kLeftOf<Step>, wt::index<Step>{}, 0, Step * frame::kStepBytes);
  }
  template <int Step>
  WT_DEVICE static auto copies_for_others(path_type &paths) {
    return paths.b_copies(kLeftOf<Step>, wt::index<Step>{}, 1, Step * frame::kStepBytes) +
           paths.a_copies(kLeftOf<Step>, wt::index<Step>{}, 1, Step * frame::kStepBytes);
  }
  template <int Step>
  static constexpr wt::index<Step == 0 ? kFirstStep : 0> kLeftOf = {};
  // A wait tells at most 63 of a wave's vector memory operations apart, because vmcnt has six bits.
  template <int Count>
  static constexpr int in_flight = Count < 63 ? Count : 63;
  // How many stores `late` issues from block `from` up to, but without, block `to`.
  template <class Late>
  static constexpr int late_stores(int from, int to) {
    return Late::before(to) - (from < 0 ? 0 : Late::before(from));
  }
};

#endif
