// SPDX-License-Identifier: MIT
// Maps the scores of general kernels before they are masked: they are capped softly, and biased by the
// distance between query and key (ALiBi).
#ifndef WT_KERNELS_ATTENTION_SCORE_MAP_H
#define WT_KERNELS_ATTENTION_SCORE_MAP_H

#include "attention_frame.h"

// Plain kernels leave the scores as they are.
template <attention_variant Variant>
struct attention_score_map {
  WT_DEVICE explicit attention_score_map(const wt_attention_args &) {}

  WT_DEVICE void begin_head(const wt_attention_args &, int, int) {}

  template <attention_side Side, class Scores>
  WT_DEVICE void apply(Scores &, int) const {}
};

// Scores are in the unit of the products Q K^T, both before and after. What is not asked for is skipped.
template <>
struct attention_score_map<attention_variant::general> {
  float cap, slope;
  float to_cap, minus_twice_cap;  // in registers of the lanes, as scalar ones are scarcer

  WT_DEVICE explicit attention_score_map(const wt_attention_args &args)
      : cap(args.cap), slope(0), to_cap(args.to_cap), minus_twice_cap(-2 * args.cap) {
    wt::forget(to_cap), wt::forget(minus_twice_cap);
  }

  // What follows is for scores of this sequence's head.
  WT_DEVICE void begin_head(const wt_attention_args &args, int sequence, int head) {
    if (args.slopes) slope = args.slopes[sequence * args.slopes_batch + head] * args.slope_scale;
  }

  // Maps a tile whose rows belong to Side. `distance` is how far its first key is beyond its first query.
  template <attention_side Side, class Scores>
  WT_DEVICE void apply(Scores &s, int distance) const {
    if (cap > 0)
      wt::unrolled<wt::kPairs<Scores>>([&](auto n) WT_INLINE {
        wt::set_pair<n>(s, apart(wt::pair_of<n>(s), [this](float x) WT_INLINE { return capped(share(x)); }));
      });
    if (slope != 0) add_bias<Side>(s, distance);
  }
  // The same, and sets `derivative` to those of the scores by the products.
  template <attention_side Side, class Scores>
  WT_DEVICE void apply(Scores &s, Scores &derivative, int distance) const {
    if (cap > 0) {
      wt::unrolled<wt::kPairs<Scores>>([&](auto n) WT_INLINE {
        const wt::f32x2 shares = apart(wt::pair_of<n>(s), [this](float x) WT_INLINE { return share(x); });
        wt::set_pair<n>(s, apart(shares, [this](float x) WT_INLINE { return capped(x); }));
        wt::set_pair<n>(derivative, apart(shares, [](float x) WT_INLINE { return 4.0f * (x - x * x); }));
      });
    } else {
      wt::fill(derivative, 1.0f);
    }
    if (slope != 0) add_bias<Side>(s, distance);
  }

 private:
  template <attention_side Side, class Scores>
  WT_DEVICE void add_bias(Scores &s, int distance) const {
    using layout = typename Scores::layout;
    static constexpr bool kByKeys = Side == attention_side::keys;
    const int lane = attention_lane(), r = layout::row(lane, 0), c = layout::column(lane, 0);
    float of_lane = static_cast<float>(distance + (kByKeys ? r - c : c - r));
    wt::forget(of_lane);
    wt::unrolled<wt::kPairs<Scores>>([&](auto n) WT_INLINE {
      static constexpr int kFragment = n * 2 / layout::kElements, kFirst = n * 2 % layout::kElements;
      static constexpr int kDown = kFragment / Scores::kWide * layout::kRows;
      static constexpr int kRight = kFragment % Scores::kWide * layout::kColumns;
      const wt::f32x2 pair = wt::pair_of<n>(s);
      const auto biased = [&](auto e) WT_INLINE {
        static constexpr int kRow = kDown + layout::row(0, kFirst + e),
                             kColumn = kRight + layout::column(0, kFirst + e);
        constexpr float kFurther = static_cast<float>(kByKeys ? kRow - kColumn : kColumn - kRow);
        float x = __builtin_fmaf(slope, of_lane + kFurther, pair[e.value]);
        wt::forget(x);
        return x;
      };
      wt::set_pair<n>(s, wt::f32x2{biased(wt::index<0>{}), biased(wt::index<1>{})});
    });
  }
  // Returns 1 / (exp(2 x / cap) + 1), which is (1 - tanh(x / cap)) / 2.
  WT_DEVICE float share(float x) const { return wt::rcp(wt::exp2(x * to_cap) + 1.0f); }
  // Returns cap * tanh(x / cap), off by at most 2^-22 of the cap.
  WT_DEVICE float capped(float share) const { return __builtin_fmaf(share, minus_twice_cap, cap); }

  // Returns f of both numbers, one by one. The compiler would join all elements of a tile to long vectors,
  // and copy a number that the lanes share into as many scalar registers.
  template <class F>
  WT_DEVICE static wt::f32x2 apart(wt::f32x2 x, const F &f) {
    float first = f(x[0]), second = f(x[1]);
    wt::forget(first), wt::forget(second);
    return {first, second};
  }
};

#endif
