// SPDX-License-Identifier: MIT
// Makes the softmax of attention forward, block by block: the weights P of a block's scores S, their sums l,
// and the scale m of O and l.
//
// Exponents are relative to m, which need not be the largest score: O and l keep their scale as long as P is
// well within the range of f32 and of its own type. With 16-bit types the kernel looks for the largest score
// in the first block that a query sees, and from then on it does not: where a sum of P is too large, m was
// too small, and P is computed again. The two lanes of a query then take the largest score of those of them
// that found this, so that m is the same in both.
#ifndef WT_KERNELS_ATTENTION_SOFTMAX_H
#define WT_KERNELS_ATTENTION_SOFTMAX_H

#include "attention_dropout.h"
#include "attention_forward_tiles.h"
#include "attention_score_map.h"
#include "attention_weights.h"

// Holds the softmax of a wave's queries, with the scores and weights of a block and the sums O.
template <class Tiles>
struct attention_softmax {
  using element = typename Tiles::element;
  using s_tile = typename Tiles::s_tile;
  using p_layout = typename Tiles::p_layout;
  using row_values = wt::col_vec<float, s_tile>;
  static constexpr auto kVariant = Tiles::kVariant;
  static constexpr int kWaveQueries = Tiles::kWaveQueries, kKeys = Tiles::kKeys;
  static constexpr int kShares = Tiles::kSharesOfKeys, kShare = Tiles::kShare;

  // P is at most 2^8 in every type. In FP8 the largest P of a row is kept above 2^(8 - kHeadroom) where
  // possible, so that small values are not lost: E4M3 goes from 2^-9 to 448.
  static constexpr bool kLooksFirst = wt::is_fp8<element>;
  static constexpr float kNone = -__FLT_MAX__;  // m of a query that has met no key yet
  static constexpr float kSlack = kLooksFirst ? 8 : 0, kHeadroom = kLooksFirst ? 4 : 0, kMostSum = 256;

  // With heads of 64 the products are too short to hide the softmax. Then the weights that are not
  // ready when the other wave has multiplied are computed by packed arithmetic. Unless the log-sum-exps are
  // wanted, the rounded weights are summed, two per instruction: they are also what is multiplied, so O is no
  // less exact.
  static constexpr bool kShort = wt::target::kGfx950 && Tiles::kHead <= 64,
                        kMaySumRounded =
                            kShort && wt::kBits<element> == 16 && kVariant == attention_variant::plain;
  static constexpr int kAfterMfmas = kShort ? 14 : 0;

  s_tile s;
  typename Tiles::p_tile p[kShares];
  typename Tiles::o_tile o;
  row_values m, l;  // l: the sum over the lane's own keys only
  float sum = 0;    // over the lane's own keys of the last P
  int query;        // the wave's first
  attention_band band;
  int seen;              // the first key that all of the wave's queries see
  unsigned seen_blocks;  // how many of these keys begin a block in which all are seen
  float scale;
  attention_score_map<kVariant> map;
  attention_dropout<kVariant> dropout;
  wt::u32 ones = 0;  // two of element

  WT_DEVICE attention_softmax(const wt_attention_args &args, const attention_sequence &sequence, int first)
      : query(first), band(args, sequence), scale(args.scale), map(args), dropout(args) {
    const attention_blocks all = band.keys_of_all(query, kWaveQueries);
    seen = all.begin;
    const int more = all.end - all.begin - kKeys;
    seen_blocks = more < 0 ? 0 : static_cast<unsigned>(more) + 1;
    wt::zero(o);
    wt::zero(l);
    wt::fill(m, kNone);
    if constexpr (kMaySumRounded) {
      ones = __builtin_bit_cast(wt::u32, wt::vector<element, 2>{1, 1});
      wt::forget(ones);
    }
  }

  // Makes block `first` one of those that weigh_block looks at more closely.
  WT_DEVICE void set_apart(int first) {
    const int second = (first + 1) * kKeys, skipped = second - seen;
    const int left = static_cast<int>(seen_blocks) - (skipped > 0 ? skipped : 0);
    seen = skipped > 0 ? second : seen;
    seen_blocks = left > 0 ? left : 0;
    wt::forget_uniform(seen);
    wt::forget_uniform(seen_blocks);
  }

  // Returns the largest score of a query in S, of its lanes that ask for it, or `least` where that is larger.
  WT_DEVICE float largest_score(bool asks, float least) const {
    row_values own;
    wt::row_max_in_lanes(own, s);
    const float mine = asks ? own.values[0] * scale : kNone;
    return wt::reduce_lane_pairs<32>(mine, wt::max(mine, least),
                                     [](float a, float b) WT_INLINE { return wt::max(a, b); });
  }

  // Makes the largest score of a query its m, if it has met no key before. Its O and l are zeros.
  WT_DEVICE void begin_rows() {
    const float top = largest_score(true, kNone);
    m.values[0] = m.values[0] == kNone ? top : m.values[0];
  }

  // Raises m to what S needs, and rescales O and l, for the queries of the lanes that ask for it. A query is
  // raised by its own scores alone, so that its bits do not depend on the others of the wave.
  WT_DEVICE void raise(bool asks) {
    const float old = m.values[0], top = largest_score(asks, old);
    const bool exceeds = top > old + kSlack;
    const float less = old - (top - kHeadroom);
    m.values[0] = exceeds ? top - kHeadroom : old;
    if (wt::any_lane(exceeds)) {
      row_values shrink;
      shrink.values[0] = wt::exp2(exceeds ? less : 0.0f);
      wt::mul_row(o, o, shrink);
      wt::mul(l, l, shrink);
    }
  }

  // Weights of 16 bits are dropped in general kernels.
  static constexpr bool kDrops = kVariant == attention_variant::general && wt::kBits<element> == 16;

  // Makes P from S, with micro-ops of `others` between the exponentials, and returns the sum of the lane's P.
  // The sum is that of all P, and P are then zeros where they are dropped. `key` is the first one.
  template <attention_sum Sum, class Others>
  WT_DEVICE float weigh(int key, const Others &others) {
    using weights = attention_weights<element, s_tile, Sum, kAfterMfmas>;
    weights of(s, scale, m.values[0], ones);
    wt::unrolled<weights::kAll>([&](auto i) WT_INLINE {
      of.template raise<i>();
      wt::issue_share<i, weights::kAll>(others);
      of.template take<i>();
    });
    of.take_last();
    auto rounded = of.rounded();
    if constexpr (kDrops) {
      if (dropout.is_used()) {
        typename attention_dropout<kVariant>::bytes bytes[weights::kFragments];
        dropout.template draw<attention_side::keys>(bytes, query, key);
        dropout.drop(rounded, bytes);
      }
    }
    wt::rt<element, kWaveQueries, kKeys, p_layout> all;
    wt::convert_layout(all, rounded);
    wt::unrolled<kShares>([&](auto i)
                              WT_INLINE { p[i] = wt::part<0, i * kShare, kWaveQueries, kShare>(all); });
    return of.sum_of_all();
  }

  // Makes the softmax of S, whose first key is `key`: P, then m and l, and P again where m was too small.
  template <attention_sum Sum, class Others>
  WT_DEVICE void weigh_block(int key, const Others &others) {
    // clang 22 counts the wait states between the MFMAs of S and its first use along the path with the branch
    // below alone (CDNA4 ISA, table 38; tests/kernels/matrix_hazards.c counts along all paths).
    if constexpr (!kLooksFirst && !wt::target::kGfx950) wt::s_nop<9>();
    if constexpr (!kLooksFirst && wt::target::kGfx950 && Tiles::kHead > 128) wt::s_nop<0>();
    map.template apply<attention_side::queries>(s, key - query - band.ahead);
    if (__builtin_expect(static_cast<unsigned>(key - seen) >= seen_blocks, false)) {
      wt::forget_uniform(key);  // or the compiler updates everything that depends on it in every block
      band.template hide<attention_side::queries>(s, query, key);
      if constexpr (!kLooksFirst) begin_rows();
      // Or clang 22 has S in other registers here, and copies it there in every block.
      if constexpr (Tiles::kHead == 64) wt::forget(s);
    }
    if constexpr (kLooksFirst) raise(true);
    sum = weigh<Sum>(key, others);
  }
  template <attention_sum Sum>
  WT_DEVICE void add_weights(int key) {
    float total = l.values[0] + sum;
    wt::forget(total);
    if constexpr (!kLooksFirst) {
      const bool overflows = !(sum < kMostSum);
      if (__builtin_expect(wt::any_lane(overflows), false)) {
        raise(overflows);
        total = l.values[0] + weigh<Sum>(key, wt::list_of<0>(0));
      }
    }
    l.values[0] = total;
  }

  // Writes O and, where it is wanted, the log-sum-exp. `sink` is a score that is in the sum alone, times
  // log2(e), or minus infinity. A query that sees no key gets zeros, and the sink as its log-sum-exp.
  template <class Out>
  WT_DEVICE void store(const wt::gl<Out> &to, float *lse, float o_scale, float sink) {
    wt::sum_between_lanes(l);
    const float top = wt::max(m.values[0], sink), own = wt::exp2(m.values[0] - top);
    const float sum = l.values[0] * own + wt::exp2(sink - top);
    row_values factor;
    factor.values[0] = sum == 0.0f ? 0.0f : wt::rcp(sum) * own * o_scale;
    wt::mul_row(o, o, factor);
    wt::store_rounded(to, o, query, 0);
    if (lse) {
      static constexpr float kLn2 = 0.693147181f;
      l.values[0] = (wt::log2(sum) + top) * kLn2;
      wt::store(lse + query, l, to.rows - query);
    }
  }
};

#endif
