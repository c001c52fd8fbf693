// SPDX-License-Identifier: MIT
// Attention forward, 8-wave ping-pong: two waves per SIMD, one multiplying while the other does its softmax.
// A work-group has 256 queries of one head, a wave 32 of them; keys pass in blocks of kKeys.
//
//   cluster     multiplies                               reads                copies
//   product j   O += P(j-1) V(j-1), S(j) = Q K(j)^T      half of V(j-1), K(j)
//   softmax j   (vector unit) m, l, P(j) from S(j)       half of V(j)         K(j+3), V(j+2)
//
// All is held as the MFMA leaves K Q^T: a lane has one query, and half of a block's keys; the lane 32 further
// on has the others. So the softmax exchanges one value per block, and P is V's partner as it stands: an
// operand whose lanes hold runs of 4 keys.
//
// The maximum m that the exponents are relative to lags behind: while no score exceeds it by more than kSlack
// powers of two, O and l keep their scale, well within f32 and the type of P.
//
// The halves of the work-group are one barrier apart. In barriers of the first half, product j lies between
// 2j and 2j + 1, softmax j between 2j + 1 and 2j + 2, and those of the second half one later. K(j) is read
// until 2j + 2, V(j) from 2j + 1 until 2j + 4. So K(j+3) and V(j+2), copied from 2j + 1 on, may replace
// K(j-1) and V(j-2): four stages. Each wave waits for them in its next softmax, that is before 2j + 5; K(j+3)
// is read from 2j + 6 on, V(j+2) from 2j + 5.
#ifndef WT_KERNELS_ATTENTION_FORWARD_H
#define WT_KERNELS_ATTENTION_FORWARD_H

#include "attention_frame.h"

template <class T, int D>
struct attention_forward {
  static constexpr int kWaves = 8, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kWaveQueries = 32, kQueries = kWaves * kWaveQueries;
  static constexpr int kKeys = wt::target::kGfx950 ? 64 : 32;
  static constexpr int kStages = 4;
  static constexpr float kSlack = 8;

  // The operands of a product come in halves: Q and K of the head dimension, P and V of the keys.
  using q_tile = wt::rt_a<T, kWaveQueries, D / 2, 32>;
  using k_tile = wt::rt_b<T, kKeys, D / 2, 32>;
  using s_tile = wt::rt_ct<float, kWaveQueries, kKeys, 32>;
  using p_layout = wt::operand<32, 16, 4>;
  using p_tile = wt::rt<T, kWaveQueries, kKeys / 2, p_layout>;
  using v_tile = wt::rt<T, D, kKeys / 2, p_layout>;  // V^T
  using o_tile = wt::rt_ct<float, kWaveQueries, D, 32>;
  using row_values = wt::col_vec<float, s_tile>;

  using k_lds = attention_row_lds<T, kKeys, D>;
  using v_lds = attention_v_lds<T, kKeys, D, p_layout>;
  using v_half = attention_v_lds<T, kKeys / 2, D, p_layout>;
  struct lds {
    k_lds k[kStages];
    v_lds v[kStages];
  };

  q_tile q[2];
  s_tile s;
  p_tile p[2];
  v_tile v[2];
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

  WT_DEVICE void load(const wt::gl<const T> &queries) {
    wt::load(q[0], queries, query, 0);
    wt::load(q[1], queries, query, D / 2);
  }

  // P, m and l from S, whose first key is `key`.
  WT_DEVICE void softmax(int key) {
    if (!band.sees_all(query, kWaveQueries, key, kKeys)) band.mask(s, query, key);
    row_values own;
    wt::row_max_in_lanes(own, s);
    const float old = m.values[0], mine = own.values[0] * scale;
    const float top = wt::reduce_lane_pairs<32>(mine, wt::max(mine, old),
                                                [](float a, float b) WT_INLINE { return wt::max(a, b); });
    const bool exceeds = top > old + kSlack;
    const float less = old - top;
    m.values[0] = exceeds ? top : old;
    if (wt::any_lane(exceeds)) {
      row_values shrink;
      shrink.values[0] = wt::exp2(exceeds ? less : 0.0f);
      wt::mul_row(o, o, shrink);
      wt::mul(l, l, shrink);
    }
    wt::map(
        s,
        [](auto x, auto scale, auto m)
            WT_INLINE { return wt::exp2(__builtin_elementwise_fma(x, scale, -m)); },
        s, scale, wt::by_row(m));
    wt::row_sum_in_lanes(l, s, l);
    wt::rt<T, kWaveQueries, kKeys, typename s_tile::layout> rounded;
    wt::rt<T, kWaveQueries, kKeys, p_layout> all;
    wt::convert(rounded, s);
    wt::convert_layout(all, rounded);
    p[0] = wt::part<0, 0, kWaveQueries, kKeys / 2>(all);
    p[1] = wt::part<0, kKeys / 2, kWaveQueries, kKeys / 2>(all);
  }

  // Blocks `begin` to `end` - 1 of the keys; at least one.
  WT_DEVICE void main_loop(const wt::gl<const T> &keys, const wt::gl<const T> &values, lds &memory, int begin,
                           int end) {
    attention_copier<k_lds, kWaves> copy_k(keys);
    attention_copier<v_lds, kWaves> copy_v(values);
    const wt::u32 lds_k = wt::lds_address(&memory.k), lds_v = wt::lds_address(&memory.v);
    const auto read_k = wt::lds_reader<k_lds, typename k_tile::layout>(0).at(lds_k);
    const wt::lds_reader_tr<v_half, v_tile> read_v(0, lds_v);
    k_tile k[2];
    constexpr int kCopies = copy_k.kCopies + copy_v.kCopies;

    const auto k_copies = [&](unsigned j)
                              WT_INLINE { return copy_k.copies(j, lds_k + j % kStages * sizeof(k_lds)); };
    const auto v_copies = [&](unsigned j)
                              WT_INLINE { return copy_v.copies(j, lds_v + j % kStages * sizeof(v_lds)); };
    const auto k_reads = [&](unsigned j, auto half) WT_INLINE {
      return read_k.at(j % kStages * sizeof(k_lds)).template reads<half * D / 2>(k[half]);
    };
    const auto v_reads = [&](unsigned j, auto half) WT_INLINE {
      return read_v.reads(v[half], (2 * (j % kStages) + half) * sizeof(v_half));
    };
    const wt::sched::ping_pong pair{wt::wave_id() >= kWaves / 2};
    constexpr wt::index<0> kLow;
    constexpr wt::index<1> kHigh;

    const auto product = [&](int j, auto first, auto last) WT_INLINE {
      pair.compute([&]() WT_INLINE {
        const auto k_low = wt::only_if<!last>(k_reads(j, kLow));
        if constexpr (first) {
          issue_all(k_low);
        } else {
          wt::sched::interleave(mma_ABt_list(o, p[0], v[0]), v_reads(j - 1, kHigh));
          wt::wait_lds<0>();
          wt::sched::interleave(mma_ABt_list(o, p[1], v[1]), k_low);
        }
        if constexpr (!last) {
          wt::wait_lds<0>();
          wt::zero(s);
          wt::sched::interleave(mma_ABt_list(s, q[0], k[0]), k_reads(j, kHigh));
          wt::wait_lds<0>();
          wt::sched::interleave(mma_ABt_list(s, q[1], k[1]));
        }
      });
    };
    const auto softmax_cluster = [&](int j) WT_INLINE {
      const bool more = j + 3 < end;
      if (more) issue_all(k_copies(j + 3));
      if (j + 2 < end) issue_all(v_copies(j + 2));
      softmax(j * kKeys);
      issue_all(v_reads(j, kLow));
      if (more) {
        wt::wait_vmem<kCopies>();
      } else {
        wt::wait_vmem<0>();
      }
    };

    for (int ahead = 0; ahead < 3 && begin + ahead < end; ++ahead) {
      issue_all(k_copies(begin + ahead));
      if (ahead < 2) issue_all(v_copies(begin + ahead));
    }
    wt::wait_vmem<0>();
    pair.shift_in();
    wt::raw_barrier();
    product(begin, wt::index<true>{}, wt::index<false>{});
#pragma unroll 1
    for (int j = begin; j + 1 < end; ++j) {
      softmax_cluster(j);
      product(j + 1, wt::index<false>{}, wt::index<false>{});
    }
    softmax_cluster(end - 1);
    product(end, wt::index<false>{}, wt::index<true>{});
    pair.shift_out();
  }

  // O and its logarithm of the sum: zeros and minus infinity for a query that sees no key.
  WT_DEVICE void store(const wt::gl<T> &to, float *lse, float o_scale) {
    wt::sum_between_lanes(l);
    row_values factor;
    factor.values[0] = l.values[0] == 0.0f ? 0.0f : wt::rcp(l.values[0]) * o_scale;
    wt::mul_row(o, o, factor);
    wt::rt<T, kWaveQueries, D, typename o_tile::layout> rounded;
    wt::convert(rounded, o);
    wt::store(to, rounded, query, 0);
    if (lse) {
      constexpr float kLn2 = 0.693147181f;
      wt::map(
          l, [](auto l, auto m) WT_INLINE { return (wt::log2(l) + m) * kLn2; }, l, m);
      wt::store(lse + query, l, to.rows - query);
    }
  }
};

template <class T, int D>
WT_DEVICE void attend_forward(const wt_attention_args &args) {
  using kernel = attention_forward<T, D>;
  WT_SHARED typename kernel::lds memory;
  const wt_attention_place place = wt_attention_place_of(&args, wt::workgroup_x());
  const attention_sequence sequence(args, place.batch);
  const int first = place.tile * kernel::kQueries;
  if (first >= sequence.queries) return;  // a packed sequence that is shorter than the longest
  kernel self(args, sequence, first);
  const int key_head = place.head / args.group;
  const int begin = self.band.begin(first) / kernel::kKeys;
  const int end = (self.band.end(first + kernel::kQueries - 1) + kernel::kKeys - 1) / kernel::kKeys;
  if (begin < end) {
    self.load(sequence.of_queries<const T, D>(args.q, place.head));
    self.main_loop(sequence.of_keys<const T, D>(args.k, key_head),
                   sequence.of_keys<const T, D>(args.v, key_head), memory, begin, end);
  }
  float *lse = args.lse;
  if (lse) lse += sequence.batch * args.lse_batch + place.head * args.lse_head + sequence.q_first;
  self.store(sequence.of_queries<T, D>(args.o, place.head), lse, args.o_scale);
}

// Defines the kernels attention_forward_d<D>_<type>.
#define ATTENTION_FORWARD_KERNEL(D, name, T)                 \
  WT_KERNEL_OF_WAVES((attention_forward<T, D>::kThreads), 2) \
  attention_forward_d##D##_##name(wt_attention_args args) { attend_forward<T, D>(args); }
#define ATTENTION_FORWARD_KERNELS(D)          \
  ATTENTION_FORWARD_KERNEL(D, bf16, wt::bf16) \
  ATTENTION_FORWARD_KERNEL(D, f16, wt::f16)

#endif
