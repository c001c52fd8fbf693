// SPDX-License-Identifier: MIT
// Attention backward, 8-wave ping-pong: two waves per SIMD, one multiplying while the other makes P and dS.
//
//   cluster     multiplies                                      copies
//   product j   the sums of block j - 1; S and dP of block j    block j + kAhead
//   vector j    (vector unit) P and dS of block j
//
// The halves of the work-group are one barrier apart. In barriers of the first half, product j lies between
// 2j and 2j + 1, that of the second half one later. Block j is read in products j and j + 1, until 2j + 4. So
// what product j copies, from 2j on, may replace block j - 2; it is waited for at the end of a product, the
// one before that reads it, which leaves it kAhead products of time.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_8WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_8WAVE_H

#include "attention_backward_entry.h"
#include "attention_backward_frame.h"

template <attention_gradient Of, class T, int D, attention_way Way>
struct attention_backward_8wave : attention_backward_frame<T, D, Of, Way, 8, false> {
  using frame = attention_backward_frame<T, D, Of, Way, 8, false>;
  using frame::frame, frame::kOfSums, frame::kPhases;
  using typename frame::stream;
  static constexpr int kAhead = frame::kStages - 2, kWavesPerSimd = 2;
  static constexpr bool kAtomic = false;

  // Blocks `begin` to `end` - 1 of the rows that pass, at least one.
  WT_DEVICE void main_loop(const stream &from, int begin, int end) {
    wt::forget_uniform(begin);  // or the addresses of these blocks are kept from head to head
    wt::forget_uniform(end);
    const wt::sched::ping_pong pair{wt::wave_id() >= frame::kWaves / 2};

    const auto product = [&](int j, auto first, auto last) WT_INLINE {
      pair.compute([&]() WT_INLINE {
        const bool more = j + kAhead < end;
        if (more) from.copy_block(j + kAhead);
        constexpr int kFrom = first ? kOfSums : 0, kTo = last ? kOfSums : kPhases;
        if constexpr (first) issue_all(this->template reads<kFrom>(from, j));
        wt::unrolled<kTo - kFrom>([&](auto i) WT_INLINE {
          constexpr int kNow = kFrom + i, kNext = kNow + 1 < kTo ? kNow + 1 : kNow;
          const auto next = this->template reads<kNext>(from, kNext < kOfSums ? j - 1 : j);
          wt::sched::interleave(this->template products<kNow>(), wt::only_if<(kNext > kNow)>(next));
        });
        constexpr int kWrites = stream::kCopies == 0 ? 0 : wt::kAnyLds;
        if (more) {
          wt::wait_counts<(kAhead - 1) * stream::kCopies, kWrites>();
        } else {
          wt::wait_counts<0, kWrites>();
        }
      });
    };
    const auto vector_cluster = [&](int j) WT_INLINE {
      this->template take<0>(j * frame::kBlock);
      this->template take<1>(j * frame::kBlock);
      issue_all(this->exponentials() + this->differences());
      // Now, that is, in this cluster: the compiler would put it off until it is used, after the reads.
      constexpr int kWide = frame::p_tile::kWide;
      wt::unrolled<2 * frame::kSums * kWide>([&](auto n) WT_INLINE {
        wt::forget(this->weights[n / (2 * kWide)][n / kWide % 2].fragment[0][n % kWide]);
      });
      wt::sched_barrier();
      issue_all(this->template reads<0>(from, j));
    };

    for (int j = begin; j < begin + kAhead && j < end; ++j) from.copy_block(j);
    wt::wait_counts<0, 0>();
    pair.shift_in();
    wt::raw_barrier();
    product(begin, wt::index<true>{}, wt::index<false>{});
#pragma unroll 1
    for (int j = begin; j + 1 < end; ++j) {
      vector_cluster(j);
      product(j + 1, wt::index<false>{}, wt::index<false>{});
    }
    vector_cluster(end - 1);
    product(end, wt::index<false>{}, wt::index<true>{});
    pair.shift_out();
  }
};

// With _any: Q, K, V and dO at any alignment.
#define ATTENTION_BACKWARD_8WAVE(D, name, T)                                                          \
  ATTENTION_BACKWARD_PAIR(attention_backward_8wave, 8wave_d##D##_##name, T, D, attention_way::direct) \
  ATTENTION_BACKWARD_PAIR(attention_backward_8wave, 8wave_d##D##_##name##_any, T, D, attention_way::any)

#endif
