// SPDX-License-Identifier: MIT
// Defines what the kernels of attention backward share. One frame serves both gradients: a wave keeps 32 rows
// of its own in registers, and meets the streamed rows in blocks of kBlock, which go through LDS.
//
//                own rows     streamed rows   sums
//   dK and dV    K, V         Q, dO           dV += P^T dO, dK += dS^T Q; over all heads of the group
//   dQ           Q, dO        K, V            dQ += dS K
//
// S and dP lie as the MFMA leaves them, with a row for each streamed row: a lane has one own row and runs of
// 4 streamed ones, and so P and dS are operands of the sums as they stand. Where queries are streamed, S
// begins at -lse / scale and dP at -delta, so that P = exp2(scale S) and dS = P dP. Where queries are the own
// rows, a lane has one lse and one delta.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_FRAME_H
#define WT_KERNELS_ATTENTION_BACKWARD_FRAME_H

#include "attention_block_phases.h"
#include "attention_dropout.h"
#include "attention_score_map.h"
#include "attention_stream.h"

enum class attention_gradient { of_keys, of_queries };

// Says how the log-sum-exps of streamed queries come to their scores.
enum class attention_start {
  of_product,  // the product begins at -lse / scale
  added        // -lse is added when the product is scaled
};

// If tiles are pinned, the sums and the own rows, as operands of MFMAs, are in AGPRs, and S and dP are in
// VGPRs; the compiler does not move them.
template <class Type, int D, attention_gradient Of, attention_path Path, int Waves, wt::placement Placement,
          attention_variant Variant = attention_variant::plain,
          int Stages = wt::target::kGfx950 ? 4
                       : Waves == 4        ? 2
                                           : 3>
struct attention_backward_frame {
  using T = Type;
  static constexpr int kHeadDim = D, kThreads = Waves * wt::target::kWaveLanes, kWavesPerSimd = Waves / 4;
  static constexpr bool kOfKeys = Of == attention_gradient::of_keys;
  static constexpr attention_side kStreamed = kOfKeys ? attention_side::queries : attention_side::keys;
  static constexpr attention_variant kVariant = Variant;
  static constexpr bool kGeneral = Variant == attention_variant::general;
  static constexpr int kOwn = WT_ATTENTION_WAVE_ROWS, kRows = Waves * kOwn;
  // On gfx950 a wave copies at least 1 KB at once, which is more than its part of 32 rows of 64 columns; and
  // a wave with a SIMD to itself has the registers, so that barriers and what an iteration computes once
  // count half as much.
  static constexpr bool kHasLargeBlocks =
      wt::target::kGfx950 && (Waves == 8 ? D == 64 : kOfKeys && Variant == attention_variant::plain);
  static constexpr int kBlock = kHasLargeBlocks ? 64 : 32;
  static constexpr int kStages = Stages;
  static constexpr int kBegun = 0;  // blocks that are begun before the loop over a head

  // A phase takes a part of the head dimension: kRowPart for S and dP, kColumnPart for the sums.
  static constexpr bool kIsPinned = Placement == wt::placement::pinned;
  static constexpr int kRowPart = kIsPinned ? D / 2 : 32;
  static constexpr int kColumnPart = wt::target::kGfx950 ? D : D == 128 ? 32 : 64;
  static constexpr int kSums = kOfKeys ? 2 : 1;
  using blocks = attention_staged_blocks<T, kBlock, D, 2, kStages, kRowPart, kColumnPart>;
  using phases = attention_block_phases<blocks, kSums,
                                        kOfKeys && !kGeneral ? wt::addend::accumulator : wt::addend::zero>;
  static constexpr int kPhases = phases::kPhases, kFirstDp = phases::kRowParts, kFirstSum = phases::kFirstSum;
  using stream = attention_stream<blocks, Waves, Path,
                                  kOfKeys ? attention_vectors::two : attention_vectors::none, Variant>;
  using lds = typename stream::lds;
  using s_tile = wt::rt_c<float, kBlock, kOwn, 32>;
  using p_tile = wt::rt<T, kOwn, kBlock / 2, wt::operand<32, 16, 4>>;
  using enum wt::register_file;
  using own_tile = wt::placed_t<Placement, wt::rt_a<T, kOwn, kRowPart, 32>, agpr>;
  using sum_tile = wt::placed_t<Placement, wt::rt_ct<float, kOwn, kColumnPart, 32>, agpr>;

  own_tile own[2][phases::kRowParts];             // of K and V, or of Q and dO
  sum_tile sum[kSums][phases::kColumnParts];      // dK and dV, or dQ
  wt::placed_t<Placement, s_tile, vgpr> made[2];  // S and dP
  s_tile scores[2];                               // for the vector unit: S, then P; and dP
  p_tile weights[2][2];                           // for the sums: dS and P, halves of a block
  wt::row_vec<float, s_tile> start[2];            // used when queries are the own rows
  s_tile later[2];    // general, where queries are streamed: -lse / scale and -delta
  s_tile derivative;  // general: of the scores by the products
  typename attention_dropout<Variant>::bytes
      drawn[1];  // general: those of the weights, when there is dropout
  phases phase;  // first S, then dP, then the sums, dK or dQ last
  int row;       // the wave's first
  attention_band band;
  int whole_from;  // where queries are streamed: the first row at which a block may begin that sees all keys
                   // of the wave
  unsigned whole_count;  // how many such rows follow each other
  float scale;
  attention_score_map<Variant> map;
  attention_dropout<Variant> dropout;

  WT_DEVICE attention_backward_frame(const wt_attention_args &args, const attention_sequence &s, int first)
      : row(first + wt::wave_id() * kOwn), band(args, s), scale(args.scale), map(args), dropout(args) {
    zero(sum);
    // This is what attention_band::hide asks of each block of queries, asked once.
    const int end = row - band.ahead + band.left + 2 - kBlock;
    whole_from = row + kOwn - 1 - band.ahead - band.right;
    whole_count = end > whole_from && row + kOwn <= band.keys
                      ? static_cast<unsigned>(end) - static_cast<unsigned>(whole_from)
                      : 0;
    wt::forget_uniform(whole_from), wt::forget_uniform(whole_count);
  }

  // Loads the own rows of two matrices and, if they are queries, the values that their S and dP begin with.
  // `begun` is called when loads are under way.
  template <class Begin>
  WT_DEVICE void load_own(lds &, int, const wt::gl<const T> &first, const wt::gl<const T> &second,
                          const float *starts, attention_blocks, const Begin &begun) {
    wt::rt<T, kOwn, D, wt::memory_rows<T, D>> lines[2];
    attention_load_rows<Variant>(lines[0], first, row);
    attention_load_rows<Variant>(lines[1], second, row);
    begun();
    take_own<0>(lines[0]);
    take_own<1>(lines[1]);
    if constexpr (kOfKeys) return;
    wt::unrolled<2>([&](auto i)
                        WT_INLINE { wt::load(start[i], starts + 2 * row + i * 32, first.rows - row); });
    wt::mul(start[0], start[0], scale);
  }

  // Returns how many of `issued` events a wait may leave in flight: vmcnt counts no more of them.
  static constexpr int countable(int issued) { return issued < wt::kAnyVmem ? issued : wt::kAnyVmem - 1; }

  // Returns the products of phase N, and the reads of its block that come before them.
  template <int N>
  WT_DEVICE auto products() {
    return phase.template products<N>(made, own, weights, sum);
  }
  template <int N>
  WT_DEVICE auto reads(const stream &from, int block) {
    return starts<N>(from, block) + phase.template reads<N>(from.blocks, block);
  }
  // Returns the reads of the values that S or dP begins with, or that general kernels add to them later.
  template <int N>
  WT_DEVICE auto starts(const stream &from, int block) {
    static constexpr bool kStarts = kOfKeys && N < kFirstSum && N % phases::kRowParts == 0;
    static constexpr int kI = kStarts ? N / phases::kRowParts : 0;
    return wt::only<wt::when(kStarts)>(from.template vector_reads<kI>(begins(wt::index<kI>{}), block));
  }

  // `exponentials` makes P from S, whose MFMAs were issued Since micro-ops ago, and hides what is not seen in
  // the block of streamed rows from `streamed` on. `differences` makes dS from P and dP. Both are rounded for
  // the sums: an accumulator's elements are those of two operands, in order.
  //
  // A micro-op takes the next step of several elements, so that none waits for the one before: between a
  // wave's own MFMAs, where a slot has few cycles, of one each, else of two. Arithmetic is not packed: packed
  // arithmetic would wait for the MFMAs around it, and they for it.
  static_assert(s_tile::layout::row(32, 9) == 16 + p_tile::layout::column(32, 1));
  static constexpr int kPairs = wt::kPairs<s_tile>, kAtOnce = kIsPinned ? 1 : 2;
  template <int Since = 0, attention_start Start = attention_start::of_product>
  WT_DEVICE auto exponentials(int streamed) {
    scores[0] = results<Since>(made[0]);
    if constexpr (kGeneral)
      map.template apply<kStreamed>(scores[0], derivative,
                                    (kOfKeys ? row - streamed : streamed - row) - band.ahead);
    if constexpr (kGeneral) {
      if (dropout.is_used())
        dropout.template draw<kStreamed>(drawn, kOfKeys ? streamed : row, kOfKeys ? row : streamed);
    }
    if (!kOfKeys || static_cast<unsigned>(streamed) - static_cast<unsigned>(whole_from) >= whole_count)
      band.template hide<kStreamed>(scores[0], kOfKeys ? streamed : row, kOfKeys ? row : streamed);
    const auto scaled = [&](auto n) WT_INLINE {
      if constexpr (n < 2 * kPairs)
        change<n>(scores[0], [&](auto e, float s) WT_INLINE {
          if constexpr (Start == attention_start::added)
            return __builtin_fmaf(s, scale, wt::pair_of<n / 2>(later[0])[e.value]);
          return kOfKeys ? (s + later_pair<0, n / 2>()[e.value]) * scale
                         : __builtin_fmaf(s, scale, start[0].values[0]);
        });
    };
    const auto raised = [&](auto n) WT_INLINE {
      if constexpr (n >= 0 && n < 2 * kPairs)
        change<n>(scores[0], [](auto, float s) WT_INLINE { return wt::exp2(s); });
    };
    const auto rounded = [&](auto pair) WT_INLINE {
      if constexpr (pair >= 0) {
        if constexpr (kOfKeys) round<pair>(weights[1], scores[0]);
        if constexpr (kGeneral) {
          const wt::f32x2 factors = wt::pair_of<pair>(derivative);
          change<2 * pair>(scores[0], [&](auto e, float p) WT_INLINE { return p * factors[e.value]; });
          change<2 * pair + 1>(scores[0], [&](auto e, float p) WT_INLINE { return p * factors[e.value]; });
        }
      }
    };
    return wt::list_of<(2 * kPairs + 4) / kAtOnce>([=](auto n) WT_INLINE {
      if constexpr (kAtOnce == 2) {
        rounded(wt::index<n - 2>{});
        raised(wt::index<2 * n - 2>{}), raised(wt::index<2 * n - 1>{});
        scaled(wt::index<2 * n>{}), scaled(wt::index<2 * n + 1>{});
      } else {
        raised(wt::index<n - 2>{});
        scaled(n);
        if constexpr (n % 2 == 0) rounded(wt::index<n / 2 - 2>{});
      }
    });
  }
  // Makes those weights of dV zeros that are dropped, when `exponentials` have been issued.
  WT_DEVICE void drop_weights() {
    if constexpr (kGeneral) {
      if (dropout.is_used())
        wt::unrolled<2>([this](auto i) WT_INLINE {
          dropout.template drop<i * wt::kPairs<p_tile>>(weights[1][i.value], drawn);
        });
    }
  }
  // Does what comes before `differences`: takes dP.
  template <int Since = 0>
  WT_DEVICE void begin_differences() {
    scores[1] = results<Since>(made[1]);
    if constexpr (kGeneral) {
      if (dropout.is_used()) dropout.drop_and_scale(scores[1], drawn[0]);
    }
  }
  WT_DEVICE auto differences() {
    const auto multiplied = [&](auto n) WT_INLINE {
      if constexpr (n < 2 * kPairs) {
        const float p = wt::pair_of<n / 2>(scores[0])[n % 2], delta = later_pair<1, n / 2>()[n % 2];
        change<n>(scores[1], [&](auto, float dp)
                                 WT_INLINE { return p * (dp + (kOfKeys ? delta : start[1].values[0])); });
      }
    };
    return wt::list_of<(2 * kPairs + 2) / kAtOnce>([=, this](auto n) WT_INLINE {
      if constexpr (kAtOnce == 2) {
        if constexpr (n > 0) round<n - 1>(weights[0], scores[1]);
        multiplied(wt::index<2 * n>{}), multiplied(wt::index<2 * n + 1>{});
      } else {
        multiplied(n);
        if constexpr (n > 1 && n % 2 == 1) round<n / 2 - 1>(weights[0], scores[1]);
      }
    });
  }

 private:
  // Makes the own rows of the first (I 0) or second matrix of what was loaded.
  template <int I, class Lines>
  WT_DEVICE void take_own(const Lines &lines) {
    wt::rt_a<T, kOwn, D, 32> all;
    wt::convert_layout(all, lines);
    wt::unrolled<phases::kRowParts>([&](auto part) WT_INLINE {
      wt::pin(own[I][part.value], wt::part<0, part * kRowPart, kOwn, kRowPart>(all));
    });
  }
  // Returns the tile that the streamed queries' values of number I are read into.
  template <int I>
  WT_DEVICE auto &begins(wt::index<I>) {
    if constexpr (kGeneral) {
      return later[I];
    } else {
      return made[I];
    }
  }
  // Returns what is added to pair N of S (I 0) or dP (1) of streamed queries, of which a plain kernel has
  // made it a part already; the sum with the negative zero here is then no instruction.
  template <int I, int N>
  WT_DEVICE wt::f32x2 later_pair() const {
    if constexpr (kGeneral && kOfKeys) return wt::pair_of<N>(later[I]);
    return wt::f32x2(-0.0f);
  }

  // Changes element N of a tile. Each is forgotten, as the compiler would pack it with its neighbour.
  template <int N, class F>
  WT_DEVICE static void change(s_tile &tile, const F &f) {
    wt::f32x2 pair = wt::pair_of<N / 2>(tile);
    float x = f(wt::index<N % 2>{}, pair[N % 2]);
    wt::forget(x);
    pair[N % 2] = x;
    wt::set_pair<N / 2>(tile, pair);
  }
  template <int N>
  WT_DEVICE static void round(p_tile (&to)[2], const s_tile &from) {
    wt::set_pair<N>(to, wt::from_f32<T>(wt::pair_of<N>(from)));
  }

  // Returns the results of a product, Since micro-ops after it. The wait states that its MFMAs still need,
  // which take 8 passes on gfx950 and 16 on gfx942, are inserted (CDNA4 ISA, table 38).
  template <int Since, class Tile>
  WT_DEVICE static s_tile results(Tile &tile) {
    if constexpr (!kIsPinned) {
      return tile;
    } else {
      static constexpr int kMissing = (wt::target::kGfx950 ? 12 : 20) - Since;
      if constexpr (kMissing > 16) wt::s_nop<15>();
      if constexpr (kMissing > 0) wt::s_nop<(kMissing - 1) % 16>();
      keep(tile);
      s_tile free;
      wt::unrolled<s_tile::kTall>([&](auto i)
                                      WT_INLINE { free.fragment[i.value][0] = tile.fragment[i.value][0]; });
      return free;
    }
  }
};

// Computes dK and dV of a work-group's keys, or dQ of its queries.
template <class Kernel>
WT_DEVICE void attention_backward(const wt_attention_backward_args &args) {
  using T = typename Kernel::T;
  constexpr int D = Kernel::kHeadDim;
  static constexpr bool kOfKeys = Kernel::kOfKeys;
  static constexpr attention_side kOwnSide = kOfKeys ? attention_side::keys : attention_side::queries;
  fetch_arguments<sizeof(wt_attention_backward_args)>();
  WT_SHARED typename Kernel::lds memory;
  const wt_attention_args &forward = args.forward;
  // There are so many heads of queries for each head of the own rows.
  const int heads = kOfKeys ? static_cast<int>(forward.group.divisor) : 1;
  const wt_attention_place place = wt_attention_place_of(&forward.order, wt::workgroup_x());
  const attention_sequence sequence(forward, place.batch);
  // Under a causal mask most queries see the first keys, and the last queries see most keys: these first.
  const int first = (kOfKeys ? forward.order.tiles - 1 - place.tile : place.tile) * Kernel::kRows;
  if (first >= (kOfKeys ? sequence.keys : sequence.queries)) return;
  Kernel self(forward, sequence, first);
  self.dropout.begin_sequence(forward, place.batch);
  auto streamed = self.band.template others<kOwnSide>(first, Kernel::kRows, Kernel::kBlock);
  const int key_head = kOfKeys ? place.head : static_cast<int>(wt_divide(place.head, forward.group));
  const int wide = attention_columns<Kernel::kVariant, D>(forward.head_dim);
  const int value_wide = attention_columns<Kernel::kVariant, D>(forward.value_dim);
  const auto k = sequence.of_keys<const T>(forward.k, key_head, wide);
  const auto v = sequence.of_keys<const T>(forward.v, key_head, value_wide);
  const attention_parked<Kernel::kVariant, attention_sequence> parked_sequence(sequence);
  const attention_parked<Kernel::kVariant, wt_attention_place> parked_place(place);
  if (streamed.begin < streamed.end) {
    const auto workspace_row = [&](int head, const attention_sequence &of) WT_INLINE {
      return wt_attention_workspace_row(&args, head, parked_place.value().batch, of.q_first);
    };
    const auto begin = [&](int head) WT_INLINE {
      if constexpr (Kernel::kBegun > 0) {
        const attention_sequence of = parked_sequence.value();
        self.begin({memory, of.template of_queries<const T>(forward.q, head, wide),
                    of.template of_queries<const T>(args.d_o, head, value_wide),
                    args.rows + 2 * workspace_row(head, of)},
                   streamed);
      }
    };
    const int first_head = place.head * heads, end_head = first_head + heads;
    if constexpr (kOfKeys)
      self.load_own(memory, first, k, v, nullptr, streamed, [&]() WT_INLINE { begin(first_head); });
#pragma unroll 1
    for (int head = first_head; head < end_head; ++head) {
      const attention_sequence of = parked_sequence.value();
      self.map.begin_head(forward, parked_place.value().batch, head);
      self.dropout.begin_head(head);
      const auto q = of.template of_queries<const T>(forward.q, head, wide);
      const auto d_o = of.template of_queries<const T>(args.d_o, head, value_wide);
      const long long at = workspace_row(head, of);
      const float *const starts = args.rows + 2 * at;
      if constexpr (!kOfKeys) self.load_own(memory, first, q, d_o, starts, streamed, []() WT_INLINE {});
      wt::forget_uniform(streamed.begin), wt::forget_uniform(streamed.end);  // or their addresses are kept
      keep(self.sum);  // or the compiler moves the sums between heads
      self.main_loop({memory, kOfKeys ? q : k, kOfKeys ? d_o : v, starts}, streamed, args.dq_sum + at * D);
      if (head + 1 < end_head) begin(head + 1);
    }
  }
  keep(self.sum);  // or they are moved before each head, too
  const attention_sequence of = parked_sequence.value();
  const int head = parked_place.value().head;
  const auto again = wt::read_arguments<wt_attention_backward_args>();
  wt::store_scaled(of.template of<kOwnSide, T>(kOfKeys ? again.d_k : again.d_q, head, wide), self.sum[0],
                   again.result_scale, self.row);
  if constexpr (kOfKeys)
    wt::store_scaled(of.template of_keys<T>(again.d_v, head, value_wide), self.sum[1],
                     Kernel::kGeneral ? again.forward.kept_scale : 1.0f, self.row);
}

// Defines attention_backward_<symbol>; and the pair of dkv_<suffix> and dq_<suffix> of a kernel template.
#define ATTENTION_BACKWARD_KERNEL(symbol, ...)                              \
  WT_KERNEL_OF_WAVES((__VA_ARGS__::kThreads), (__VA_ARGS__::kWavesPerSimd)) \
  attention_backward_##symbol(wt_attention_backward_args args) { attention_backward<__VA_ARGS__>(args); }
#define ATTENTION_BACKWARD_PAIR(suffix, kernel, ...)                                        \
  ATTENTION_BACKWARD_KERNEL(dkv_##suffix, kernel<attention_gradient::of_keys, __VA_ARGS__>) \
  ATTENTION_BACKWARD_KERNEL(dq_##suffix, kernel<attention_gradient::of_queries, __VA_ARGS__>)

#endif
