// SPDX-License-Identifier: MIT
// Attention forward, 8-wave ping-pong: two waves share a SIMD, and one multiplies while the other computes
// its softmax. A work-group has 256 queries of one head and a wave 32 of them; keys are streamed in blocks of
// kKeys. The loop's schedule, and what it multiplies when, stands in attention_forward_schedule.h; this file
// has the tiles and the lists of micro-ops.
//
// Scores are held as the MFMA leaves K Q^T: a lane has one query and half of a block's keys, and the lane 32
// further on has the other half. A 16-bit P is an operand of P V as it stands: its lanes hold runs of 4 keys.
//
// Exponents are relative to m, which need not be the largest score: O and l keep their scale as long as P is
// well within the range of f32 and of its own type. With 16-bit types the kernel looks for the largest score
// in the first block that a query sees, and from then on it does not: where a sum of P is too large, m was
// too small, and P is computed again. The two lanes of a query then take the largest score of those of them
// that found this, so that m is the same in both.
#ifndef WT_KERNELS_ATTENTION_FORWARD_H
#define WT_KERNELS_ATTENTION_FORWARD_H

#include "attention_dropout.h"
#include "attention_forward_schedule.h"
#include "attention_score_map.h"
#include "attention_stream.h"
#include "attention_weights.h"

// D is the head dimension of queries and keys. DV is how many columns of V a work-group takes; its y index
// says which. T is the type of Q, K, P and V, and Out the type of O.
template <class T, class Out, int D, int DV, attention_path Path,
          attention_variant Variant = attention_variant::plain>
struct attention_forward {
  static constexpr int kWaves = 8, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kWaveQueries = 32, kQueries = kWaves * kWaveQueries;
  static constexpr int kKeys = !wt::target::kGfx950 || D > 192 ? 32 : D > 64 ? 64 : 128, kStages = 4;
  // P is at most 2^8 in every type. In FP8 the largest P of a row is kept above 2^(8 - kHeadroom) where
  // possible, so that small values are not lost: E4M3 goes from 2^-9 to 448.
  static constexpr bool kLooksFirst = wt::is_fp8<T>;
  static constexpr float kNone = -__FLT_MAX__;  // m of a query that has met no key yet
  static constexpr float kSlack = kLooksFirst ? 8 : 0, kHeadroom = kLooksFirst ? 4 : 0, kMostSum = 256;

  // With heads of 64 the products are too short to hide the softmax. Then the weights that are not
  // ready when the other wave has multiplied are computed by packed arithmetic. Unless the log-sum-exps are
  // wanted, the rounded weights are summed, two per instruction: they are also what is multiplied, so O is no
  // less exact.
  static constexpr bool kShort = wt::target::kGfx950 && D <= 64,
                        kMaySumRounded = kShort && wt::kBits<T> == 16 && Variant == attention_variant::plain;
  static constexpr int kAfterMfmas = kShort ? 14 : 0;

  // Products are divided into parts whose operands take about 32 registers: Q K^T by kPart of the head
  // dimension, P V by half of a block's keys, or by all of them with 8-bit types.
  static constexpr int kMostOfRow = 64 * 128 / kKeys * 8 / wt::kBits<T>,
                       kPart = D < kMostOfRow ? D : kMostOfRow;
  static constexpr int kParts = D / kPart;
  static constexpr int kSharesOfKeys = wt::kBits<T> == 8 ? 1 : 2, kShare = kKeys / kSharesOfKeys;
  // Says where the steps to the next blocks stand: with scores if those have more MFMAs, else with outputs.
  static constexpr bool kAdvancesFirst = D > DV;
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
  using k_ring = attention_ring<k_lds, kParts, kStages, kWaves, Path, Variant>;
  using v_ring = attention_ring<v_lds, 1, kStages, kWaves, Path, Variant>;
  static_assert(wt::copies_to_lds<k_ring> && wt::copies_to_lds<v_ring>);
  using k_reader = wt::lds_reader<k_lds, typename k_tile::layout>;
  using v_reader = wt::lds_reader_tr<v_share, v_tile>;
  static constexpr int kReadsK = k_tile::kTall * k_tile::kWide * k_reader::kReads;
  static constexpr int kReadsV = v_reader::kReadsOfTile;
  struct lds {
    k_lds k[kStages][kParts];
    v_lds v[kStages];
  };

  q_tile q[kParts];
  s_tile s;
  p_tile p[kSharesOfKeys];
  v_tile v[kSharesOfKeys];
  o_tile o;
  row_values m, l;  // l: the sum over the lane's own keys only
  float sum = 0;    // over the lane's own keys of the last P
  int query;        // the wave's first
  attention_band band;
  int seen;              // the first key that all of the wave's queries see
  unsigned seen_blocks;  // how many of these keys begin a block in which all are seen
  float scale;
  attention_score_map<Variant> map;
  attention_dropout<Variant> dropout;
  wt::u32 ones = 0;  // two of T

  WT_DEVICE attention_forward(const wt_attention_args &args, const attention_sequence &sequence, int first)
      : query(first + wt::wave_id() * kWaveQueries),
        band(args, sequence),
        scale(args.scale),
        map(args),
        dropout(args) {
    const attention_blocks all = band.keys_of_all(query, kWaveQueries);
    seen = all.begin;
    const int more = all.end - all.begin - kKeys;
    seen_blocks = more < 0 ? 0 : static_cast<unsigned>(more) + 1;
    wt::zero(o);
    wt::zero(l);
    wt::fill(m, kNone);
    if constexpr (kMaySumRounded) {
      ones = __builtin_bit_cast(wt::u32, wt::vector<T, 2>{1, 1});
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
  static constexpr bool kDrops = Variant == attention_variant::general && wt::kBits<T> == 16;

  // Makes P from S, with micro-ops of `others` between the exponentials, and returns the sum of the lane's P.
  // The sum is that of all P, and P are then zeros where they are dropped. `key` is the first one.
  template <attention_sum Sum, class Others>
  WT_DEVICE float weigh(int key, const Others &others) {
    using weights = attention_weights<T, s_tile, Sum, kAfterMfmas>;
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
        typename attention_dropout<Variant>::bytes bytes[weights::kFragments];
        dropout.template draw<attention_side::keys>(bytes, query, key);
        dropout.drop(rounded, bytes);
      }
    }
    wt::rt<T, kWaveQueries, kKeys, p_layout> all;
    wt::convert_layout(all, rounded);
    wt::unrolled<kSharesOfKeys>([&](auto i)
                                    WT_INLINE { p[i] = wt::part<0, i * kShare, kWaveQueries, kShare>(all); });
    return of.sum_of_all();
  }

  // Makes the softmax of S, whose first key is `key`: P, then m and l, and P again where m was too small.
  template <attention_sum Sum, class Others>
  WT_DEVICE void weigh_block(int key, const Others &others) {
    // clang 22 counts the wait states between the MFMAs of S and its first use along the path with the branch
    // below alone (CDNA4 ISA, table 38; tests/kernels/matrix_hazards.c counts along all paths).
    if constexpr (!kLooksFirst && !wt::target::kGfx950) wt::s_nop<9>();
    if constexpr (!kLooksFirst && wt::target::kGfx950 && D > 128) wt::s_nop<0>();
    map.template apply<attention_side::queries>(s, key - query - band.ahead);
    if (__builtin_expect(static_cast<unsigned>(key - seen) >= seen_blocks, false)) {
      wt::forget_uniform(key);  // or the compiler updates everything that depends on it in every block
      band.template hide<attention_side::queries>(s, query, key);
      if constexpr (!kLooksFirst) begin_rows();
      // Or clang 22 has S in other registers here, and copies it there in every block.
      if constexpr (D == 64) wt::forget(s);
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

  // Loops over blocks `begin` to `end` - 1 of the keys, of which there is at least one.
  template <attention_sum Sum>
  WT_DEVICE void main_loop(const wt::gl<const T> &queries, const wt::gl<const T> &keys,
                           const wt::gl<const T> &values, lds &memory, int begin, int end) {
    if constexpr (!kLooksFirst) set_apart(begin);
    wt::rt<T, kWaveQueries, kPart, wt::memory_rows<T, kPart>> rows[kParts];
    wt::unrolled<kParts>(
        [&](auto i) WT_INLINE { attention_load_rows<Variant>(rows[i.value], queries, query, i * kPart); });
    k_ring next_k(keys, begin, wt::lds_parts<typename k_ring::tile>(memory.k));
    v_ring next_v(values, begin, wt::lds_parts<typename v_ring::tile>(memory.v));
    const k_reader read_k = k_reader(0).at(wt::lds_parts<k_lds>(memory.k));
    const v_reader read_v(0, wt::lds_parts<v_share>(memory.v));
    k_tile k[2];
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      constexpr int kFragment = op.value.fragment, kPart = op.value.part;
      if constexpr (op.value.buffer == kK) {
        return read_k.at((stage * kParts + kPart) * sizeof(k_lds)).reads(k[kFragment - kK0]);
      } else {
        return read_v.reads(v[kFragment - kV0], (stage * kSharesOfKeys + kPart) * sizeof(v_share));
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      constexpr int kA = op.value.a.fragment, kB = op.value.b.fragment;
      if constexpr (op.value.sum == kS) {
        return wt::mma_ABt_list<op.to>(s, q[kA - kQ0], k[kB - kK0]);
      } else {
        // The compiler copies l for the next iteration here, beside MFMAs.
        const auto products = wt::mma_ABt_list(o, p[kA - kP0], v[kB - kV0]);
        return wt::list_of<products.kSize>([this, products](auto i) WT_INLINE {
          products.template issue<i>();
          if constexpr (kA == kP0 && i == 0) wt::forget(l.values);
        });
      }
    };
    // What a copy needs is formed where it stands, as scalar registers are dearer than instructions.
    const auto copies = [&](auto op, int, wt::u32) WT_INLINE {
      return wt::list_of<op.value.events>([&](auto i) WT_INLINE {
        if constexpr (op.value.buffer == kK) {
          next_k.copies(next_k.place()).template issue<i>();
        } else {
          next_v.copies(next_v.place()).template issue<i>();
        }
      });
    };
    const auto advances = [&](auto op) WT_INLINE {
      if constexpr (op.value.buffer == kK) {
        return next_k.advances();
      } else {
        return next_v.advances();
      }
    };
    const auto softmax = [&](auto op, int step, const auto &others) WT_INLINE {
      const int key = (begin + step) * kKeys;
      if constexpr (op.value.number == kWeigh) {
        this->template weigh_block<Sum>(key, others);
      } else {
        this->template add_weights<Sum>(key);
      }
    };
    const wt::sched::lists lists{
        .copy = copies, .read = reads, .multiply = multiplies, .vector = softmax, .advance = advances};
    // The first copies are under way while the queries come to their lanes.
    wt::sched::start<attention_forward_schedule<attention_forward>>(lists);
    wt::unrolled<kParts>([&](auto i) WT_INLINE { wt::convert_layout(q[i], rows[i.value]); });
    wt::sched::resume<attention_forward_schedule<attention_forward>>(end - begin, lists);
  }

  // Writes O and, where it is wanted, the log-sum-exp. `sink` is a score that is in the sum alone, times
  // log2(e), or minus infinity. A query that sees no key gets zeros, and the sink as its log-sum-exp.
  WT_DEVICE void store(const wt::gl<Out> &to, float *lse, float o_scale, float sink) {
    wt::sum_between_lanes(l);
    const float top = wt::max(m.values[0], sink), own = wt::exp2(m.values[0] - top);
    const float sum = l.values[0] * own + wt::exp2(sink - top);
    row_values factor;
    factor.values[0] = sum == 0.0f ? 0.0f : wt::rcp(sum) * own * o_scale;
    wt::mul_row(o, o, factor);
    wt::store_rounded(to, o, query, 0);
    if (lse) {
      constexpr float kLn2 = 0.693147181f;
      l.values[0] = (wt::log2(sum) + top) * kLn2;
      wt::store(lse + query, l, to.rows - query);
    }
  }
};

#endif
