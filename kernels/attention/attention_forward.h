// SPDX-License-Identifier: MIT
// Attention forward, 8-wave ping-pong: two waves per SIMD, one multiplying while the other does its softmax.
// A work-group has 256 queries of one head, a wave 32 of them; keys pass in blocks of kKeys.
//
//   cluster     multiplies                               reads                              copies
//   product j   O += P(j-1) V(j-1), S(j) = Q K(j)^T      rest of V(j-1), K(j), half of V(j)
//   softmax j   (vector unit) m, l, P(j) from S(j)                                          V(j+2), K(j+3)
//
// All is held as the MFMA leaves K Q^T: a lane has one query, and half of a block's keys; the lane 32 further
// on has the others. P of 16 bits is V's partner as it stands: an operand whose lanes hold runs of 4 keys.
//
// What the exponents are relative to, m, need not be the largest score: O and l keep their scale while P
// stays well within f32 and its own type. In 16 bits nobody looks for a largest score then: a sum of P that
// is too large tells that there is one, and P is computed again.
//
// The halves of the work-group are one barrier apart. In barriers of the first half, product j lies between
// 2j and 2j + 1, softmax j between 2j + 1 and 2j + 2, and those of the second half one later. K(j) is read
// until 2j + 2, V(j) from 2j until 2j + 4. So K(j+3) and V(j+2), copied from 2j + 1 on, may replace K(j-1)
// and V(j-2): four stages. At the end of product j + 1, that is before 2j + 4, each wave waits for V(j+2),
// which is read from then on, and at the end of the next, before 2j + 6, for K(j+3).
#ifndef WT_KERNELS_ATTENTION_FORWARD_H
#define WT_KERNELS_ATTENTION_FORWARD_H

#include "attention_stream.h"

// D: of queries and keys. DV: columns of V that a work-group takes; y says which. T: of Q, K, P and V.
template <class T, class Out, int D, int DV, attention_way Way>
struct attention_forward {
  static constexpr int kWaves = 8, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kWaveQueries = 32, kQueries = kWaves * kWaveQueries;
  static constexpr int kKeys = !wt::target::kGfx950 || D > 192 ? 32 : D > 64 ? 64 : 128, kStages = 4;
  // P is up to 2^8 either way. FP8 has it no smaller than 2^-kHeadroom of that without need, to hold small
  // values: E4M3 goes from 2^-9 to 448.
  static constexpr bool kLooksFirst = wt::is_fp8<T>;
  static constexpr float kSlack = kLooksFirst ? 8 : 0, kHeadroom = kLooksFirst ? 4 : 0, kMostSum = 256;

  // Of heads of 64 the products are short, and the last fragment of P comes when the other wave has
  // multiplied: see weigh.
  static constexpr int kAfterMfmas = wt::target::kGfx950 && D <= 64 ? 1 : 0;

  // The products in parts of about 32 registers: Q K of kPart of the head dimension, P V of half a block's
  // keys, or all of them in 8 bits.
  static constexpr int kMostOfRow = 64 * 128 / kKeys * 8 / wt::kBits<T>,
                       kPart = D < kMostOfRow ? D : kMostOfRow;
  static constexpr int kParts = D / kPart;
  static constexpr int kSharesOfKeys = wt::kBits<T> == 8 ? 1 : 2, kShare = kKeys / kSharesOfKeys;
  using q_tile = wt::rt_a<T, kWaveQueries, kPart, 32>;
  using k_tile = wt::rt_b<T, kKeys, kPart, 32>;
  using s_tile = wt::rt_ct<float, kWaveQueries, kKeys, 32>;
  using p_layout = typename attention_p<T>::layout;
  using p_tile = wt::rt<T, kWaveQueries, kShare, p_layout>;
  using v_tile = wt::rt<T, DV, kShare, p_layout>;  // V^T
  using o_tile = wt::rt_ct<float, kWaveQueries, DV, 32>;
  using row_values = wt::col_vec<float, s_tile>;

  using k_lds = attention_row_lds<T, kKeys, kPart>;
  using v_lds = attention_v_lds<T, kKeys, DV, p_layout>;
  using v_share = attention_v_lds<T, kShare, DV, p_layout>;
  struct lds {
    k_lds k[kStages][kParts];
    v_lds v[kStages];
  };

  q_tile q[kParts];
  s_tile s;
  p_tile p[kSharesOfKeys];
  v_tile v[kSharesOfKeys];
  o_tile o;
  row_values m, l;  // l: of the lane's own keys
  int query;        // the wave's first
  attention_band band;
  float scale;

  WT_DEVICE attention_forward(const wt_attention_args &args, const attention_sequence &sequence, int first)
      : query(first + wt::wave_id() * kWaveQueries), band(args, sequence), scale(args.scale) {
    wt::zero(o);
    wt::zero(l);
    wt::fill(m, -__FLT_MAX__);
  }

  // m at least what S asks for, and O and l relative to it.
  WT_DEVICE void raise() {
    row_values own;
    wt::row_max_in_lanes(own, s);
    const float old = m.values[0], mine = own.values[0] * scale;
    const float top = wt::reduce_lane_pairs<32>(mine, wt::max(mine, old),
                                                [](float a, float b) WT_INLINE { return wt::max(a, b); });
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

  // P from S, with micro-ops of `others` between the exponentials; returns the sum of the lane's.
  //
  // The other wave's MFMAs leave the vector unit 6 of 8 slots, but none for packed arithmetic. Of the last
  // kAfterMfmas fragments, which come after them, and of sums a fragment earlier, it takes half the slots.
  template <class Others>
  WT_DEVICE float weigh(const Others &others) {
    constexpr int kElements = s_tile::layout::kElements, kFragments = s_tile::kTall * s_tile::kWide;
    constexpr int kGroup = 4;
    wt::rt<T, kWaveQueries, kKeys, typename s_tile::layout> rounded;
    float sum, last;
    wt::unrolled<kFragments>([&](auto n) WT_INLINE {
      constexpr int kI = n / s_tile::kWide, kJ = n % s_tile::kWide;
      constexpr bool kPacked = n >= kFragments - kAfterMfmas, kSumPacked = n >= kFragments - 2 * kAfterMfmas;
      const auto &scores = s.fragment[kI][kJ];
      wt::rt<float, 32, 32, typename s_tile::layout> weights;
      auto &w = weights.fragment[0][0];
      if constexpr (kPacked)
        w = __builtin_elementwise_fma(scores, decltype(w + w)(scale), decltype(w + w)(-m.values[0]));
      wt::unrolled<kElements>([&](auto e) WT_INLINE {
        constexpr int kAt = n * kElements + e;
        if constexpr (!kPacked && e % kGroup == 0) {
          wt::sched_barrier();
          wt::unrolled<kGroup>([&](auto i) WT_INLINE {
            w[e.value + i.value] = __builtin_fmaf(scores[e.value + i.value], scale, -m.values[0]);
          });
        }
        wt::sched_barrier();
        w[e.value] = wt::exp2(w[e.value]);
        issue_all(wt::share_of<kAt, kFragments * kElements>(others));
        if constexpr (!kSumPacked || (e == 0 && n == kFragments - 2 * kAfterMfmas)) {
          if constexpr (kAt == 1) sum = last;
          if constexpr (kAt > 1) sum += last;
          if constexpr (kAt > 1) wt::forget(sum);
          last = w[e.value];
        }
      });
      wt::sched_barrier();
      if constexpr (kSumPacked) {
        wt::col_vec<float, decltype(weights)> of_fragment;
        wt::zero(of_fragment);
        wt::row_sum_in_lanes(of_fragment, weights, of_fragment);
        sum += of_fragment.values[0];
        last = 0;
      }
      wt::rt<T, 32, 32, typename s_tile::layout> narrow;
      wt::convert<wt::overflow::nonfinite>(narrow, weights);  // none is beyond the range
      rounded.fragment[kI][kJ] = narrow.fragment[0][0];
      wt::forget(rounded.fragment[kI][kJ]);
    });
    wt::rt<T, kWaveQueries, kKeys, p_layout> all;
    wt::convert_layout(all, rounded);
    wt::unrolled<kSharesOfKeys>([&](auto i)
                                    WT_INLINE { p[i] = wt::part<0, i * kShare, kWaveQueries, kShare>(all); });
    return kAfterMfmas ? sum : sum + last;
  }

  // P, m and l from S, whose first key is `key`.
  template <class Others>
  WT_DEVICE void softmax(int key, const Others &others) {
    band.hide(s, query, key);
    if constexpr (kLooksFirst) raise();
    float sum = weigh(others);
    if constexpr (!kLooksFirst) {
      if (__builtin_expect(wt::any_lane(!(sum < kMostSum)), false)) {
        raise();
        sum = weigh(wt::list_of<0>(0));
      }
    }
    l.values[0] += sum;
  }

  // Blocks `begin` to `end` - 1 of the keys; at least one.
  WT_DEVICE void main_loop(const wt::gl<const T> &keys, const wt::gl<const T> &values, lds &memory, int begin,
                           int end) {
    attention_sequel<k_lds, kWaves, Way> next_k(keys, begin, end - begin);
    attention_sequel<v_lds, kWaves, Way> next_v(values, begin, end - begin);
    const auto read_k = wt::lds_reader<k_lds, typename k_tile::layout>(0).at(wt::lds_address(&memory.k));
    const wt::lds_reader_tr<v_share, v_tile> read_v(0, wt::lds_address(&memory.v));
    constexpr int kKeyCopies = kParts * next_k.kCopies;
    k_tile k[2];
    // The next blocks, which are number j.
    const auto key_copies = [&](unsigned j) WT_INLINE {
      constexpr int kEach = decltype(next_k.copies(0, memory.k[0][0]))::kSize;
      return wt::list_of<kParts * kEach>([&, j](auto i) WT_INLINE {
        next_k.copies(i / kEach * kPart, memory.k[j % kStages][i / kEach]).template issue<i % kEach>();
      });
    };
    const auto value_copies = [&](unsigned j) WT_INLINE { return next_v.copies(0, memory.v[j % kStages]); };
    const auto k_reads = [&](unsigned j, auto part) WT_INLINE {
      return read_k.at((j % kStages * kParts + part) * sizeof(k_lds)).reads(k[part % 2]);
    };
    const auto v_reads = [&](unsigned j, auto share) WT_INLINE {
      return read_v.reads(v[share], (j % kStages * kSharesOfKeys + share) * sizeof(v_share));
    };
    const wt::sched::ping_pong pair{wt::wave_id() >= kWaves / 2};

    const auto product = [&](int j, auto first, auto last) WT_INLINE {
      pair.compute([&]() WT_INLINE {
        if constexpr (first) {
          issue_all(k_reads(j, wt::index<0>{}));
        } else {
          wt::unrolled<kSharesOfKeys - 1>([&](auto i) WT_INLINE {
            wt::sched::interleave(mma_ABt_list(o, p[i], v[i]), v_reads(j - 1, wt::index<i + 1>{}));
          });
          constexpr int kI = kSharesOfKeys - 1;
          wt::sched::interleave(mma_ABt_list(o, p[kI], v[kI]),
                                wt::only_if<!last>(k_reads(j, wt::index<0>{})));
        }
        if constexpr (!last) {
          wt::zero(s);
          wt::unrolled<kParts>([&](auto i) WT_INLINE {
            const auto products = mma_ABt_list(s, q[i], k[i % 2]);
            const auto steps = wt::only_if<(i == 0 && !first)>(next_v.advances() + next_k.advances());
            if constexpr (i + 1 < kParts) {
              wt::sched::interleave(products, k_reads(j, wt::index<i + 1>{}), steps);
            } else {
              wt::sched::interleave(products, v_reads(j, wt::index<0>{}), steps);
            }
          });
          wt::wait_vmem<kKeyCopies>();
        }
      });
    };
    const auto softmax_cluster = [&](unsigned j) WT_INLINE {
      softmax(j * kKeys, value_copies(j + 2) + key_copies(j + 3));
    };

    wt::unrolled<3>([&](auto i) WT_INLINE {
      issue_all(key_copies(begin + i));
      issue_all(next_k.advances());
      if constexpr (i == 2) return;
      issue_all(value_copies(begin + i));
      issue_all(next_v.advances());
    });
    wt::wait_counts<0, 0>();
    pair.alternate(begin, end, product, softmax_cluster);
    wt::wait_vmem<0>();  // for the copies of blocks that nobody reads
  }

  // O, and the logarithm of its sum where it is wanted: zeros and minus infinity for a query that sees no
  // key.
  WT_DEVICE void store(const wt::gl<Out> &to, float *lse, float o_scale) {
    wt::sum_between_lanes(l);
    const float sum = l.values[0];
    row_values factor;
    factor.values[0] = sum == 0.0f ? 0.0f : wt::rcp(sum) * o_scale;
    wt::mul_row(o, o, factor);
    wt::store_rounded(to, o, query, 0);
    if (lse) {
      constexpr float kLn2 = 0.693147181f;
      l.values[0] = (wt::log2(sum) + m.values[0]) * kLn2;
      wt::store(lse + query, l, to.rows - query);
    }
  }
};

#endif
