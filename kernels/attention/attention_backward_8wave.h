// SPDX-License-Identifier: MIT
// Attention backward, 8-wave ping-pong: two waves share a SIMD, and one multiplies while the other computes P
// and dS.
//
//   cluster     multiplies                                      copies
//   product j   the sums of block j - 1; S and dP of block j    block j + kAhead
//   vector j    (vector unit) P and dS of block j
//
// The halves of the work-group are one barrier apart. Counted in barriers of the first half, its product j
// lies between 2j and 2j + 1, and that of the second half one barrier later. Block j is read in products j
// and j + 1, until 2j + 4. So what product j copies, from 2j on, may replace block j - 2. The wait for a copy
// stands at the end of the product before the one that reads it, which gives the copy kAhead products of
// time.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_8WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_8WAVE_H

#include "attention_backward_frame.h"

template <attention_gradient Of, class T, int D, attention_path Path>
struct attention_backward_8wave : attention_backward_frame<T, D, Of, Path, 8, wt::placement::compiler> {
  using frame = attention_backward_frame<T, D, Of, Path, 8, wt::placement::compiler>;
  using frame::frame, frame::kPhases, frame::kFirstSum, typename frame::stream, typename frame::lds;
  static constexpr int kAhead = frame::kStages - 2;

  WT_DEVICE void prepare(const wt::gl<const T> &, lds &) {}

  // The loop over `blocks`, the blocks of streamed rows, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks blocks, float *) {
    const wt::sched::ping_pong pair{wt::wave_id() >= 4};

    const auto product = [&](int j, auto first, auto last) WT_INLINE {
      // The numbers of block j's phases follow those of block j - 1.
      const auto products = [&](auto n) WT_INLINE { return this->template products<n % kPhases>(); };
      const auto reads = [&](auto n)
                             WT_INLINE { return this->template reads<n % kPhases>(from, j - (n < kPhases)); };
      pair.compute([&]() WT_INLINE {
        const bool more = j + kAhead < blocks.end;
        if (more) from.copy_block(j + kAhead);
        constexpr int kFrom = first ? kPhases : kFirstSum, kTo = last ? kPhases : kPhases + kFirstSum;
        if constexpr (first) issue_all(reads(wt::index<kFrom>{}));
        wt::sched::run_phases<kFrom, kTo, wt::sched::last_phase::reads_nothing>(products, reads);
        constexpr int kWrites = stream::kCopies == 0 ? 0 : wt::kAnyLds;
        more ? wt::wait_counts<(kAhead - 1) * stream::kCopies, kWrites>() : wt::wait_counts<0, kWrites>();
      });
    };
    const auto vector_cluster = [&](int j) WT_INLINE {
      issue_all(this->exponentials(j * frame::kBlock) + this->differences());
      // This is computed here, in this cluster; the compiler would postpone it until its use, after the
      // reads.
      wt::unrolled<frame::kSums>([&](auto i) WT_INLINE { forget(this->weights[i.value]); });
      wt::sched_barrier();
      issue_all(this->template reads<kFirstSum>(from, j));
    };

    for (int j = blocks.begin; j < blocks.begin + kAhead && j < blocks.end; ++j) from.copy_block(j);
    wt::wait_counts<0, 0>();
    pair.alternate(blocks.begin, blocks.end, product, vector_cluster);
  }
};

#endif
