// SPDX-License-Identifier: MIT
// Attention forward, 8-wave ping-pong: two waves per SIMD, one multiplying while the other does its softmax.
// A work-group has 256 queries of one head, a wave 32 of them; keys pass in blocks of kKeys.
//
//   cluster     multiplies                               reads                    copies
//   product j   O += P(j-1) V(j-1), S(j) = Q K(j)^T      half of V(j-1), K(j)
//   softmax j   (vector unit) m, l, P(j) from S(j)       half of V(j)             K(j+3), V(j+2)
//
// All is held as the MFMA leaves K Q^T: a lane has one query, and half of a block's keys; the lane 32 further
// on has the others. So the softmax exchanges one value per block, and P of 16 bits is V's partner as it
// stands: an operand whose lanes hold runs of 4 keys.
//
// What the exponents are relative to, m, lags behind the largest score: while none exceeds it by more than
// kSlack + kHeadroom, O and l keep their scale, well within f32 and the type of P.
//
// The halves of the work-group are one barrier apart. In barriers of the first half, product j lies between
// 2j and 2j + 1, softmax j between 2j + 1 and 2j + 2, and those of the second half one later. K(j) is read
// until 2j + 2, V(j) from 2j + 1 until 2j + 4. So K(j+3) and V(j+2), copied from 2j + 1 on, may replace
// K(j-1) and V(j-2): four stages. Each wave waits for them in its next softmax, that is before 2j + 5; K(j+3)
// is read from 2j + 6 on, V(j+2) from 2j + 5.
#ifndef WT_KERNELS_ATTENTION_FORWARD_H
#define WT_KERNELS_ATTENTION_FORWARD_H

#include "attention_stream.h"

// D: of queries and keys. DV: columns of V that a work-group takes; y says which. T: of Q, K, P and V.
template <class T, class Out, int D, int DV, attention_way Way>
struct attention_forward {
  static constexpr int kWaves = 8, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kWaveQueries = 32, kQueries = kWaves * kWaveQueries;
  static constexpr int kKeys = wt::target::kGfx950 && D <= 192 ? 64 : 32, kStages = 4;
  // P is up to 2^(kSlack + kHeadroom), which FP8 needs to hold small values: E4M3 goes from 2^-9 to 448.
  static constexpr float kSlack = wt::is_fp8<T> ? 4 : 8, kHeadroom = wt::is_fp8<T> ? 4 : 0;

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

  // P, m and l from S, whose first key is `key`.
  WT_DEVICE void softmax(int key) {
    band.hide(s, query, key);
    row_values own;
    wt::row_max_in_lanes(own, s);
    const float old = m.values[0], mine = own.values[0] * scale;
    const float top = wt::reduce_lane_pairs<32>(mine, wt::max(mine, old),
                                                [](float a, float b) WT_INLINE { return wt::max(a, b); });
    const bool exceeds = top > old + (kSlack + kHeadroom);
    const float less = old - (top - kHeadroom);
    m.values[0] = exceeds ? top - kHeadroom : old;
    if (wt::any_lane(exceeds)) {
      row_values shrink;
      shrink.values[0] = wt::exp2(exceeds ? less : 0.0f);
      wt::mul_row(o, o, shrink);
      wt::mul(l, l, shrink);
    }
    const auto power = [](auto x, auto scale, auto m)
                           WT_INLINE { return wt::exp2(__builtin_elementwise_fma(x, scale, -m)); };
    wt::map(s, power, s, scale, wt::by_row(m));
    wt::row_sum_in_lanes(l, s, l);
    wt::rt<T, kWaveQueries, kKeys, typename s_tile::layout> rounded;
    wt::rt<T, kWaveQueries, kKeys, p_layout> all;
    wt::convert<wt::overflow::nonfinite>(rounded, s);  // none is beyond the range
    wt::convert_layout(all, rounded);
    wt::unrolled<kSharesOfKeys>([&](auto i)
                                    WT_INLINE { p[i] = wt::part<0, i * kShare, kWaveQueries, kShare>(all); });
  }

  // Blocks `begin` to `end` - 1 of the keys; at least one.
  WT_DEVICE void main_loop(const wt::gl<const T> &keys, const wt::gl<const T> &values, lds &memory, int begin,
                           int end) {
    attention_copier<k_lds, kWaves, Way> copy_k(keys);
    attention_copier<v_lds, kWaves, Way> copy_v(values);
    const auto read_k = wt::lds_reader<k_lds, typename k_tile::layout>(0).at(wt::lds_address(&memory.k));
    const wt::lds_reader_tr<v_share, v_tile> read_v(0, wt::lds_address(&memory.v));
    constexpr int kCopies = kParts * copy_k.kCopies + copy_v.kCopies;
    k_tile k[2];
    const auto copy_keys = [&](int j) WT_INLINE {
      wt::unrolled<kParts>([&](auto part) WT_INLINE {
        issue_all(copy_k.copies(j, part * kPart, memory.k[j % kStages][part]));
      });
    };
    const auto copy_values = [&](int j) WT_INLINE { issue_all(copy_v.copies(j, 0, memory.v[j % kStages])); };
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
            wt::wait_lds<0>();
          });
          constexpr int kI = kSharesOfKeys - 1;
          wt::sched::interleave(mma_ABt_list(o, p[kI], v[kI]),
                                wt::only_if<!last>(k_reads(j, wt::index<0>{})));
        }
        if constexpr (!last) {
          wt::zero(s);
          wt::unrolled<kParts>([&](auto i) WT_INLINE {
            wt::wait_lds<0>();
            wt::sched::interleave(mma_ABt_list(s, q[i], k[i % 2]),
                                  wt::only_if<(i + 1 < kParts)>(k_reads(j, wt::index<i + 1>{})));
          });
        }
      });
    };
    const auto softmax_cluster = [&](int j) WT_INLINE {
      const bool more = j + 3 < end;
      if (more) copy_keys(j + 3);
      if (j + 2 < end) copy_values(j + 2);
      softmax(j * kKeys);
      issue_all(v_reads(j, wt::index<0>{}));
      constexpr int kWrites = Way == attention_way::any ? 0 : wt::kAnyLds;
      more ? wt::wait_counts<kCopies, kWrites>() : wt::wait_counts<0, kWrites>();
    };

    for (int j = begin; j < begin + 3 && j < end; ++j) {
      copy_keys(j);
      if (j < begin + 2) copy_values(j);
    }
    wt::wait_counts<0, 0>();
    pair.alternate(begin, end, product, softmax_cluster);
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
