// SPDX-License-Identifier: MIT
// What becomes of the scores of general kernels before they are masked: they are capped softly.
#ifndef WT_KERNELS_ATTENTION_SCORE_MAP_H
#define WT_KERNELS_ATTENTION_SCORE_MAP_H

#include "attention_frame.h"

// Plain kernels leave the scores as they are.
template <attention_variant Variant>
struct attention_score_map {
  WT_DEVICE explicit attention_score_map(const wt_attention_args &) {}

  template <class Scores>
  WT_DEVICE void apply(Scores &) const {}
};

// Scores are in the unit of the products Q K^T, both before and after. What is not asked for is skipped.
template <>
struct attention_score_map<attention_variant::general> {
  float cap;
  float to_cap, minus_twice_cap;  // in registers of the lanes, as scalar ones are scarcer

  WT_DEVICE explicit attention_score_map(const wt_attention_args &args)
      : cap(args.cap), to_cap(args.to_cap), minus_twice_cap(-2 * args.cap) {
    wt::forget(to_cap), wt::forget(minus_twice_cap);
  }

  template <class Scores>
  WT_DEVICE void apply(Scores &s) const {
    if (cap > 0)
      wt::unrolled<wt::kPairs<Scores>>([&](auto n) WT_INLINE {
        wt::set_pair<n>(s, apart(wt::pair_of<n>(s), [this](float x) WT_INLINE { return capped(share(x)); }));
      });
  }
  // The same, and sets `slope` to the derivatives of the scores by the products.
  template <class Scores>
  WT_DEVICE void apply(Scores &s, Scores &slope) const {
    if (cap > 0) {
      wt::unrolled<wt::kPairs<Scores>>([&](auto n) WT_INLINE {
        const wt::f32x2 shares = apart(wt::pair_of<n>(s), [this](float x) WT_INLINE { return share(x); });
        wt::set_pair<n>(s, apart(shares, [this](float x) WT_INLINE { return capped(x); }));
        wt::set_pair<n>(slope, apart(shares, [](float x) WT_INLINE { return 4.0f * (x - x * x); }));
      });
    } else {
      wt::fill(slope, 1.0f);
    }
  }

 private:
  // 1 / (exp(2 x / cap) + 1), which is (1 - tanh(x / cap)) / 2.
  WT_DEVICE float share(float x) const { return wt::rcp(wt::exp2(x * to_cap) + 1.0f); }
  // cap * tanh(x / cap), off by at most 2^-22 of the cap.
  WT_DEVICE float capped(float share) const { return __builtin_fmaf(share, minus_twice_cap, cap); }

  // f of both numbers, one by one. The compiler would join all elements of a tile to long vectors, and copy a
  // number that the lanes share into as many scalar registers.
  template <class F>
  WT_DEVICE static wt::f32x2 apart(wt::f32x2 x, const F &f) {
    float first = f(x[0]), second = f(x[1]);
    wt::forget(first), wt::forget(second);
    return {first, second};
  }
};

#endif
