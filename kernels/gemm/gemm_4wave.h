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
// Loads of A's half 1 wait for the first block of the step after: all in one step, they would ask L1 for as
// many cycles as the step's MFMAs take.
#ifndef WT_KERNELS_GEMM_4WAVE_H
#define WT_KERNELS_GEMM_4WAVE_H

#include "gemm_ways.h"

template <class TA, class TB, int BM, int BN>
struct gemm_4wave : gemm_loop_frame<TA, TB, BM, BN, 2, 2, true> {
  using frame = gemm_loop_frame<TA, TB, BM, BN, 2, 2, true>;
  using typename frame::accumulators;
  static constexpr int kCopiesA = frame::a_copier::kCopies, kCopiesB = frame::b_copier::kCopies;
  static constexpr int kCopiesOfStep = 2 * (kCopiesA + kCopiesB);

  using ways = gemm_ways<frame>;

  using frame::frame;

  WT_DEVICE void main_loop(accumulators &c, typename frame::stages &tiles) const {
    ways paths(*this, tiles);
    issue_all(first_copies(paths) + other_copies(paths));
    multiply(c, paths, this->steps, gemm_nothing_late{});
  }

  // Copies of both stages, in the order of their use: for the first block, and all others.
  WT_DEVICE static auto first_copies(ways &paths) { return copies_for_first<0>(paths); }
  WT_DEVICE static auto other_copies(ways &paths) {
    return copies_for_others<0>(paths) + copies_for_first<1>(paths) + copies_for_others<1>(paths);
  }

  // What has begun, and the rest of `steps` K steps. Late: gemm_nothing_late, or what else happens in the
  // first steps; c is then overwritten.
  template <class Late>
  WT_DEVICE static void multiply(accumulators &c, ways &paths, int steps, const Late &late) {
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
    ways::template wait<in_flight<2 * kCopiesOfStep - kCopiesA - kCopiesB + Late::kBefore>,
                        ways::kPrologueLds>();
    wt::raw_barrier();
    issue_all(a_reads(0, 0) + b_reads(0, 0));

    // One K step, of stage `now`. Left: steps that follow it, 2 standing for more. Number: of one of the
    // first Late::kSteps steps, else kNoLonger.
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
      ways::template wait<
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
      ways::template wait<left >= 2
                              ? in_flight<kCopiesOfStep + kStoredHere + (number == 0 ? Late::kBefore : 0)>
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
  // Of one of the first two steps: for its first block, and for the others.
  template <int Step>
  WT_DEVICE static auto copies_for_first(ways &paths) {
    return paths.a_copies(kLeftOf<Step>, wt::index<Step>{}, 0, Step * frame::kStepBytes) +
           paths.b_copies(kLeftOf<Step>, wt::index<Step>{}, 0, Step * frame::kStepBytes);
  }
  template <int Step>
  WT_DEVICE static auto copies_for_others(ways &paths) {
    return paths.b_copies(kLeftOf<Step>, wt::index<Step>{}, 1, Step * frame::kStepBytes) +
           paths.a_copies(kLeftOf<Step>, wt::index<Step>{}, 1, Step * frame::kStepBytes);
  }
  template <int Step>
  static constexpr wt::index<Step == 0 ? kFirstStep : 0> kLeftOf = {};
  // Of a wave's vector memory operations at most 63 are told apart by a wait (vmcnt has six bits).
  template <int Count>
  static constexpr int in_flight = Count < 63 ? Count : 63;
  // Late's stores from a block up to another.
  template <class Late>
  static constexpr int late_stores(int from, int to) {
    return Late::before(to) - (from < 0 ? 0 : Late::before(from));
  }
};

#endif
