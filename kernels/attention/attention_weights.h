// SPDX-License-Identifier: MIT
// Attention forward: the softmax's weights P of a block of keys, made from its scores S step by step.
#ifndef WT_KERNELS_ATTENTION_WEIGHTS_H
#define WT_KERNELS_ATTENTION_WEIGHTS_H

#include "ops/functions.h"
#include "ops/isa/convert.h"
#include "ops/isa/forget.h"
#include "ops/isa/math.h"
#include "ops/isa/sync.h"
#include "tiles/rt.h"

// Says which weights are summed for the softmax: those of f32, or those that are rounded for the product.
enum class attention_sum { of_exact, of_rounded };

// A lane makes P of its scores, which are one query's, and their sum. Scores are taken in pairs: a pair is
// scaled and its exponentials are issued, and the pairs before, whose exponentials have arrived, are summed
// and rounded. The other wave's MFMAs leave 6 of 8 issue slots to vector instructions, but none to packed
// arithmetic, which only the last AfterMfmas scores use.
//
// Steps are members, so that all places that make P share what is compiled for them.
template <class T, class Scores, attention_sum Sum, int AfterMfmas>
struct attention_weights {
  static constexpr int kEach = Scores::layout::kElements, kFragments = Scores::kTall * Scores::kWide;
  static constexpr int kAll = kFragments * kEach, kPackedFrom = kAll - AfterMfmas,
                       kOfWord = 32 / wt::kBits<T>;
  // A word is rounded one pair later, and summed another pair later.
  static constexpr int kRoundLate = kOfWord + 2, kAddLate = Sum == attention_sum::of_rounded ? 6 : 4;

  const Scores &s;
  float scale, top;  // exponents are scale times the score, less top
  wt::u32 ones;      // two of T, to sum rounded weights with
  float weight[kAll];
  wt::u32 word[kAll / kOfWord];
  float sum = 0, other_sum = 0;  // two sums: an addition need not wait for the one before

  WT_DEVICE attention_weights(const Scores &scores, float factor, float less, wt::u32 two_ones)
      : s(scores), scale(factor), top(less), ones(two_ones) {}

  // Issues exponential number I, with what comes before it.
  template <int I>
  WT_DEVICE void raise() {
    wt::sched_barrier();
    if constexpr (I == kPackedFrom) {
      wt::unrolled<AfterMfmas / 2>([this](auto n) WT_INLINE { this->template scale_pair<I + 2 * n>(); });
    } else if constexpr (I < kPackedFrom && I % 2 == 0) {
      scale_pair<I>();
    }
    wt::sched_barrier();
    weight[I] = wt::exp2(weight[I]);
  }
  // Sums and rounds what has arrived behind exponential number I.
  template <int I>
  WT_DEVICE void take() {
    static constexpr int kAdd = I + 1 - kAddLate, kRound = I + 1 - kRoundLate;
    if constexpr (kAdd >= 0 && kAdd % 2 == 0) add_pair<kAdd>();
    if constexpr (kRound >= 0 && kRound % kOfWord == 0) round_word<kRound>();
  }
  // Sums and rounds the last ones.
  WT_DEVICE void take_last() {
    wt::sched_barrier();
    round_word<kAll - kOfWord>();
    wt::unrolled<kAddLate / 2 - 1>([this](auto i)
                                       WT_INLINE { this->template add_pair<kAll - kAddLate + 2 + 2 * i>(); });
  }

  // Returns the weights, rounded to T.
  WT_DEVICE auto rounded() const {
    wt::rt<T, Scores::kRows, Scores::kColumns, typename Scores::layout> all;
    wt::unrolled<kFragments>([&](auto n) WT_INLINE {
      static constexpr int kWords = kEach / kOfWord;
      wt::vector<unsigned, kWords> words;
      wt::unrolled<kWords>([&](auto i) WT_INLINE { words[i.value] = word[n * kWords + i]; });
      auto &fragment = all.fragment[n / Scores::kWide][n % Scores::kWide];
      fragment = __builtin_bit_cast(wt::registers<T, kEach>, words);
    });
    return all;
  }
  WT_DEVICE float sum_of_all() const { return Sum == attention_sum::of_rounded ? sum : sum + other_sum; }

 private:
  template <int At>
  WT_DEVICE void scale_pair() {
    const auto &fragment = s.fragment[At / kEach / Scores::kWide][At / kEach % Scores::kWide];
    const wt::f32x2 pair = {fragment[At % kEach], fragment[At % kEach + 1]};
    if constexpr (At < kPackedFrom) {
      weight[At] = wt::fma(pair[0], scale, -top);
      weight[At + 1] = wt::fma(pair[1], scale, -top);
    } else {
      const wt::f32x2 scaled = wt::fma(pair, wt::f32x2(scale), wt::f32x2(-top));
      weight[At] = scaled[0], weight[At + 1] = scaled[1];
    }
  }
  template <int At>
  WT_DEVICE void add_pair() {
    if constexpr (Sum == attention_sum::of_rounded) {
      using pair = wt::vector<T, 2>;
      sum = wt::dot2(__builtin_bit_cast(pair, word[At / 2]), __builtin_bit_cast(pair, ones), sum);
      wt::forget(sum);
    } else {
      if constexpr (At < kPackedFrom) {
        sum += weight[At];
        wt::forget(sum);
        other_sum += weight[At + 1];
      } else {
        const wt::f32x2 sums = wt::f32x2{sum, other_sum} + wt::f32x2{weight[At], weight[At + 1]};
        sum = sums[0], other_sum = sums[1];
        wt::forget(sum);
      }
      wt::forget(other_sum);
    }
  }
  template <int At>
  WT_DEVICE void round_word() {
    wt::vector<float, kOfWord> weights;
    wt::unrolled<kOfWord>([&](auto i) WT_INLINE { weights[i.value] = weight[At + i]; });
    // No value is beyond the range of the type.
    word[At / kOfWord] = __builtin_bit_cast(wt::u32, wt::from_f32<T, wt::overflow::nonfinite>(weights));
  }
};

#endif
