// SPDX-License-Identifier: MIT
// Attention backward, 8-wave ping-pong: two waves per SIMD, one multiplying while the other makes P and dS.
//
// One loop serves both gradients. A wave owns 32 rows, which stay in its registers; a work-group's rows meet
// the others in blocks of kBlock, which pass through LDS.
//
//                own rows     passing rows    sums
//   dK and dV    K, V         Q, dO           dV += P^T dO, dK += dS^T Q; over all heads of the group
//   dQ           Q, dO        K, V            dQ += dS K
//
//   cluster     multiplies                                      copies
//   product j   the sums of block j - 1; S(j) and dP(j)         block j + kAhead
//   vector j    (vector unit) P(j) and dS(j)
//
// S and dP lie as the MFMA leaves them, passing rows down: a lane has one own row, in runs of 4 passing ones,
// and so P and dS are operands of the sums as they stand. Where queries pass, S begins at -lse / scale and dP
// at -delta, so that P = exp2(scale S) and dS = P dP; where they stay, a lane has one lse and one delta.
//
// The halves of the work-group are one barrier apart. In barriers of the first half, product j lies between
// 2j and 2j + 1, that of the second half one later. Block j is read in products j and j + 1, until 2j + 4. So
// what product j copies, from 2j on, may replace block j - 2; it is waited for at the end of a product, the
// one before that reads it, which leaves it kAhead products of time.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_H
#define WT_KERNELS_ATTENTION_BACKWARD_H

#include "attention_backward_args.h"
#include "attention_frame.h"

enum class attention_gradient { of_keys, of_queries };

// A block of rows in LDS that is read both ways: along the head dimension, and across as operands of Layout.
template <class T, class Layout, int D>
consteval wt::swizzle attention_both_ways() {
  constexpr int kRowBytes = D * wt::kBits<T> / 8;
  return wt::solve_swizzle_within<wt::target::kChip, wt::swizzle_limits{kRowBytes, 16 * kRowBytes},
                                  attention_copy_access, wt::read_of_operand<32, kRowBytes>,
                                  wt::read_of_transposed_operand<T, Layout, kRowBytes>>();
}

template <class T, int D, attention_gradient Of, attention_way Way>
struct attention_backward {
  static constexpr bool kOfKeys = Of == attention_gradient::of_keys;
  static constexpr int kWaves = 8, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kOwn = 32, kRows = kWaves * kOwn;
  // Eight waves copy at least 1 KB each at once on gfx950.
  static constexpr int kBlock = wt::target::kGfx950 && D == 64 ? 64 : 32;
  static constexpr int kStages = wt::target::kGfx950 ? 4 : 3, kAhead = kStages - 2;
  static constexpr int kSums = kOfKeys ? 2 : 1;

  // Products in phases of a few fragments: S and dP along kRowPart of the head dimension, sums of kColumnPart
  // of it with half a block. While one is multiplied, the next is read in its place.
  static constexpr int kRowPart = 32, kRowParts = D / kRowPart;
  static constexpr int kColumnPart = wt::target::kGfx950 ? D
                                     : D == 128          ? 32
                                                         : 64,
                       kColumnParts = D / kColumnPart;

  using p_layout = wt::operand<32, 16, 4>;
  using own_tile = wt::rt_a<T, kOwn, kRowPart, 32>;
  using row_tile = wt::rt_b<T, kBlock, kRowPart, 32>;
  using s_tile = wt::rt_c<float, kBlock, kOwn, 32>;
  using p_tile = wt::rt<T, kOwn, kBlock / 2, p_layout>;
  using column_tile = wt::rt<T, kColumnPart, kBlock / 2, p_layout>;
  using sum_tile = wt::rt_ct<float, kOwn, kColumnPart, 32>;
  using own_values = wt::row_vec<float, s_tile>;

  template <int Rows>
  using rows_lds = wt::st<T, Rows, D, attention_both_ways<T, p_layout, D>()>;
  using block_lds = rows_lds<kBlock>;
  using half_lds = rows_lds<kBlock / 2>;
  static constexpr int kStarts = 2 * kBlock;
  struct lds {
    block_lds rows[kStages][2];                            // Q and dO, or K and V
    wt::sv<float, kStarts> starts[kOfKeys ? kStages : 1];  // of S and dP, if queries pass
  };

  own_tile own[2][kRowParts];         // of K and V, or of Q and dO
  s_tile scores[2];                   // S and dP, then P and dS
  p_tile weights[2][2];               // dS and P for the sums: halves of a block
  sum_tile sum[kSums][kColumnParts];  // dK and dV, or dQ
  own_values start[2];                // if queries stay
  int row;                            // the wave's first
  attention_band band;
  float scale;

  WT_DEVICE attention_backward(const wt_attention_args &args, const attention_sequence &sequence, int first)
      : row(first + wt::wave_id() * kOwn), band(args, sequence), scale(args.scale) {
    wt::unrolled<kSums * kColumnParts>([&](auto n)
                                           WT_INLINE { wt::zero(sum[n / kColumnParts][n % kColumnParts]); });
  }

  // The rows that stay: of K and V, or of Q and dO.
  WT_DEVICE void load(const wt::gl<const T> &first, const wt::gl<const T> &second) {
    wt::unrolled<kRowParts>([&](auto part) WT_INLINE {
      wt::load(own[0][part], first, row, part * kRowPart);
      wt::load(own[1][part], second, row, part * kRowPart);
    });
  }
  WT_DEVICE void load_starts(const float *starts, int rows) {
    wt::unrolled<2>([&](auto i) WT_INLINE { wt::load(start[i], starts + 2 * row + i * 32, rows - row); });
    wt::mul(start[0], start[0], scale);
  }

  // f of each two elements. With a number for a vector of 16, the compiler takes 16 scalar registers for it.
  template <int N, class F>
  WT_DEVICE static wt::vector<float, N> by_pairs(wt::vector<float, N> x, const F &f) {
    wt::unrolled<N / 2>([&](auto i) WT_INLINE {
      const wt::f32x2 y = f(wt::f32x2{x[2 * i], x[2 * i + 1]});
      x[2 * i] = y[0], x[2 * i + 1] = y[1];
    });
    return x;
  }

  // P and dS of the block of passing rows from `passing` on.
  WT_DEVICE void vector(int passing) {
    s_tile &s = scores[0], &dp = scores[1];
    if constexpr (kOfKeys) {
      if (!band.sees_all(passing, kBlock, row, kOwn)) band.mask(s, passing, row);
      wt::map(
          s,
          [&](auto x)
              WT_INLINE { return wt::exp2(by_pairs(x, [&](wt::f32x2 y) WT_INLINE { return y * scale; })); },
          s);
      wt::map(
          dp, [](auto p, auto x) WT_INLINE { return p * x; }, s, dp);
    } else {
      if (!band.sees_all(row, kOwn, passing, kBlock)) band.template mask<true>(s, row, passing);
      wt::map(
          s,
          [&](auto x) WT_INLINE {
            return wt::exp2(by_pairs(x, [&](wt::f32x2 y) WT_INLINE {
              return wt::fma(y, wt::f32x2(scale), wt::f32x2(start[0].values[0]));
            }));
          },
          s);
      wt::map(
          dp, [](auto p, auto x, auto start) WT_INLINE { return p * (x + start); }, s, dp,
          wt::by_column(start[1]));
    }
    if constexpr (kOfKeys) operands(weights[1], s);
    operands(weights[0], dp);
  }

  // Rounded, and with the own rows down: the same registers.
  WT_DEVICE static void operands(p_tile (&to)[2], const s_tile &from) {
    wt::rt<T, kBlock, kOwn, typename s_tile::layout> rounded;
    wt::rt<T, kOwn, kBlock, p_layout> all;
    wt::convert(rounded, from);
    wt::convert_layout(all, wt::transposed_view(rounded));
    to[0] = wt::part<0, 0, kOwn, kBlock / 2>(all);
    to[1] = wt::part<0, kBlock / 2, kOwn, kBlock / 2>(all);
    // Now, that is, in this cluster: the compiler would put it off until they are used.
    wt::unrolled<2>([&](auto i) WT_INLINE {
      wt::unrolled<p_tile::kTall>(
          [&](auto n) WT_INLINE { wt::keep_in_place<wt::register_place<false>>(to[i].fragment[n][0]); });
    });
  }

  // Blocks `begin` to `end` - 1 of the passing rows, at least one: of Q and dO, or of K and V. starts: of the
  // sequence, if queries pass.
  WT_DEVICE void main_loop(const wt::gl<const T> &first, const wt::gl<const T> &second, const float *starts,
                           lds &memory, int begin, int end) {
    using copier = attention_copier<block_lds, kWaves, Way>;
    copier copy[2] = {copier(first), copier(second)};
    const wt::u32 base = wt::lds_address(&memory);
    const auto read_rows = wt::lds_reader<block_lds, typename row_tile::layout>(0).at(base);
    const wt::lds_reader_tr<half_lds, column_tile> read_columns(0, base);
    const wt::u32 read_starts =
        wt::lds_address(&memory.starts) + static_cast<wt::u32>(wt::lane_id() / 32 * 4 * sizeof(float));
    row_tile rows[2];
    column_tile columns[2];

    const auto copy_block = [&](int j) WT_INLINE {
      const unsigned stage = static_cast<unsigned>(j) % kStages;
      if constexpr (kOfKeys) {
        if (wt::wave_id() == 0) {
          int lane = wt::lane_id();
          wt::forget(lane);  // formed anew: registers are dearer
          const wt::buffer from = wt::make_buffer(starts + j * kStarts, kStarts * sizeof(float));
          wt::unrolled<kStarts / 64>([&](auto i) WT_INLINE {
            wt::buffer_load_to_lds<4>(from, lane * 4, i * 256,
                                      wt::lds_address(&memory.starts[stage]) + i * 256);
          });
        }
      }
      wt::unrolled<2>([&](auto i) WT_INLINE { issue_all(copy[i].copies(j, 0, memory.rows[stage][i])); });
    };
    // Where things are in LDS: matrix i of block j.
    const auto place = [&](int j, int i) WT_INLINE {
      return static_cast<wt::u32>((static_cast<unsigned>(j) % kStages * 2 + i) * sizeof(block_lds));
    };
    // What S or dP begins with, 4 rows per read, as a lane has them.
    const auto start_reads = [&](int j, auto i) WT_INLINE {
      const wt::u32 from = read_starts + static_cast<unsigned>(j) % kStages * sizeof(memory.starts[0]);
      return wt::list_of<kBlock / 8 * s_tile::kWide>([from, i, &to = scores[i]](auto n) WT_INLINE {
        constexpr int kRow = n / s_tile::kWide * 8, kFirst = kRow % 32 / 2;
        constexpr int kFrom = (kRow / 32 * 64 + i * 32 + kRow % 32) * static_cast<int>(sizeof(float));
        const auto values = wt::ds_read<wt::f32x4>(from, kFrom);
        auto &fragment = to.fragment[kRow / 32][n % s_tile::kWide];
        wt::unrolled<4>([&](auto e) WT_INLINE { fragment[kFirst + e] = values[e.value]; });
      });
    };

    // The phases of product j: the sums of block j - 1, dK or dQ last, then S and dP of block j.
    constexpr int kOfSum = 2 * kColumnParts, kOfSums = kSums * kOfSum, kPhases = kOfSums + 2 * kRowParts;
    const auto reads = [&](int j, auto n) WT_INLINE {
      if constexpr (n < kOfSums) {
        constexpr int kI = kSums - 1 - n / kOfSum, kPart = n % kColumnParts,
                      kHalf = n % kOfSum / kColumnParts;
        return read_columns.template reads_by_xor<kPart * kColumnPart, kHalf * sizeof(half_lds)>(
            columns[n % 2], place(j - 1, kI));
      } else {
        constexpr wt::index<(n - kOfSums) / kRowParts> kI;
        constexpr int kPart = (n - kOfSums) % kRowParts;
        return wt::only_if < kOfKeys &&
               kPart == 0 > (start_reads(j, kI)) +
                                read_rows.template reads_by_xor<kPart * kRowPart>(rows[n % 2], place(j, kI));
      }
    };
    const auto products = [&](auto n) WT_INLINE {
      if constexpr (n < kOfSums) {
        constexpr int kI = kSums - 1 - n / kOfSum, kPart = n % kColumnParts,
                      kHalf = n % kOfSum / kColumnParts;
        return mma_ABt_list(sum[kI][kPart], weights[kI][kHalf], columns[n % 2]);
      } else {
        constexpr int kI = (n - kOfSums) / kRowParts, kPart = (n - kOfSums) % kRowParts;
        return mma_ABt_list(scores[kI], rows[n % 2], own[kI][kPart]);
      }
    };
    wt::forget_uniform(begin);  // or the addresses of these blocks are kept from head to head
    wt::forget_uniform(end);
    const wt::sched::ping_pong pair{wt::wave_id() >= kWaves / 2};

    const auto product = [&](int j, auto first, auto last) WT_INLINE {
      pair.compute([&]() WT_INLINE {
        const bool more = j + kAhead < end;
        if (more) copy_block(j + kAhead);
        constexpr int kFrom = first ? kOfSums : 0, kTo = last ? kOfSums : kPhases;
        if constexpr (first) issue_all(reads(j, wt::index<kFrom>{}));
        wt::unrolled<kTo - kFrom>([&](auto i) WT_INLINE {
          constexpr wt::index<kFrom + i> kNow;
          constexpr wt::index<kNow + 1 < kTo ? kNow + 1 : kNow> kNext;
          if constexpr (!kOfKeys && kNow >= kOfSums && (kNow - kOfSums) % kRowParts == 0)
            wt::zero(scores[(kNow - kOfSums) / kRowParts]);
          wt::sched::interleave(products(kNow), wt::only_if<(kNext > kNow)>(reads(j, kNext)));
        });
        constexpr int kWrites = Way == attention_way::any ? 0 : wt::kAnyLds;
        if (more) {
          wt::wait_counts<(kAhead - 1) * 2 * copier::kCopies, kWrites>();
        } else {
          wt::wait_counts<0, kWrites>();
        }
      });
    };
    const auto vector_cluster = [&](int j) WT_INLINE {
      vector(j * kBlock);
      wt::sched_barrier();  // P and dS have the registers of S and dP: the reads come after
      issue_all(reads(j + 1, wt::index<0>{}));
    };

    for (int j = begin; j < begin + kAhead && j < end; ++j) copy_block(j);
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

  // Factor times a sum.
  WT_DEVICE void store(const wt::gl<T> &to, sum_tile (&sum)[kColumnParts], float factor) const {
    wt::unrolled<kColumnParts>([&](auto part) WT_INLINE {
      wt::rt<T, kOwn, kColumnPart, typename sum_tile::layout> rounded;
      wt::rt<T, kOwn, kColumnPart, wt::operand<32, 16, 8>> wide;  // 16 bytes of a row per lane and store
      wt::mul(sum[part], sum[part], factor);
      wt::convert(rounded, sum[part]);
      wt::convert_layout(wide, rounded);
      wt::store(to, wide, row, part * kColumnPart);
    });
  }
};

#endif
