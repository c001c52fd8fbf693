// SPDX-License-Identifier: MIT
// What the kernels of attention backward share. One frame serves both gradients: a wave owns 32 rows, which
// stay in its registers; a work-group's rows meet the others in blocks of kBlock, which pass through LDS.
//
//                own rows     passing rows    sums
//   dK and dV    K, V         Q, dO           dV += P^T dO, dK += dS^T Q; over all heads of the group
//   dQ           Q, dO        K, V            dQ += dS K
//
// S and dP lie as the MFMA leaves them, passing rows down: a lane has one own row, in runs of 4 passing ones,
// and so P and dS are operands of the sums as they stand. Where queries pass, S begins at -lse / scale and dP
// at -delta, so that P = exp2(scale S) and dS = P dP; where they stay, a lane has one lse and one delta.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_FRAME_H
#define WT_KERNELS_ATTENTION_BACKWARD_FRAME_H

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

// The tile, in a register file of its own where Pin says so.
template <bool Pin, wt::register_file File, class Tile>
struct attention_pinned {
  using type = Tile;
};
template <wt::register_file File, class U, int Rows, int Columns, class Layout>
struct attention_pinned<true, File, wt::rt<U, Rows, Columns, Layout>> {
  using type = wt::rt_pinned<File, -1, U, Rows, Columns, Layout>;
};

// Pinned: the sums are in AGPRs, and so are the own rows, as operands of MFMAs; S and dP are in VGPRs. The
// compiler leaves them there.
template <class T, int D, attention_gradient Of, attention_way Way, int Waves, bool Pinned>
struct attention_backward_frame {
  using element = T;
  static constexpr int kHeadDim = D;
  static constexpr bool kOfKeys = Of == attention_gradient::of_keys;
  static constexpr int kWaves = Waves, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kOwn = WT_ATTENTION_WAVE_ROWS, kRows = kWaves * kOwn;
  // A wave copies at least 1 KB at once on gfx950.
  static constexpr int kBlock = wt::target::kGfx950 && Waves == 8 && D == 64 ? 64 : 32;
  static constexpr int kStages = wt::target::kGfx950 && Waves == 8 ? 4 : 3;
  static constexpr int kSums = kOfKeys ? 2 : 1;

  // Products in phases of a few fragments: S and dP along kRowPart of the head dimension, sums of kColumnPart
  // of it with half a block. While one is multiplied, the next is read.
  static constexpr int kRowPart = 32, kRowParts = D / kRowPart;
  static constexpr int kColumnPart = wt::target::kGfx950 ? D : D == 128 ? 32 : 64;
  static constexpr int kColumnParts = D / kColumnPart;
  // Phases are numbered: first the sums, dK or dQ last, then S, then dP.
  static constexpr int kOfSum = 2 * kColumnParts, kOfSums = kSums * kOfSum;
  static constexpr int kPhases = kOfSums + 2 * kRowParts;

  using p_layout = wt::operand<32, 16, 4>;
  using row_tile = wt::rt_b<T, kBlock, kRowPart, 32>;
  using s_tile = wt::rt_c<float, kBlock, kOwn, 32>;
  using p_tile = wt::rt<T, kOwn, kBlock / 2, p_layout>;
  using column_tile = wt::rt<T, kColumnPart, kBlock / 2, p_layout>;
  using plain_own_tile = wt::rt_a<T, kOwn, kRowPart, 32>;
  using plain_sum_tile = wt::rt_ct<float, kOwn, kColumnPart, 32>;
  using own_tile = typename attention_pinned<Pinned, wt::register_file::agpr, plain_own_tile>::type;
  using made_tile = typename attention_pinned<Pinned, wt::register_file::vgpr, s_tile>::type;
  using sum_tile = typename attention_pinned<Pinned, wt::register_file::agpr, plain_sum_tile>::type;

  template <int Rows>
  using rows_lds = wt::st<T, Rows, D, attention_both_ways<T, p_layout, D>()>;
  using block_lds = rows_lds<kBlock>;
  using half_lds = rows_lds<kBlock / 2>;
  static constexpr int kStarts = 2 * kBlock;
  struct lds {
    block_lds rows[kStages][2];                            // Q and dO, or K and V
    wt::sv<float, kStarts> starts[kOfKeys ? kStages : 1];  // of S and dP, if queries pass
  };

  own_tile own[2][kRowParts];           // of K and V, or of Q and dO
  made_tile made[2];                    // S and dP
  s_tile scores[2];                     // the same for the vector unit, and P
  p_tile weights[2][2];                 // dS and P for the sums: halves of a block
  sum_tile sum[kSums][kColumnParts];    // dK and dV, or dQ
  wt::row_vec<float, s_tile> start[2];  // if queries stay
  row_tile rows[2];
  column_tile columns[2];
  int row;  // the wave's first
  attention_band band;
  float scale;

  WT_DEVICE attention_backward_frame(const wt_attention_args &args, const attention_sequence &sequence,
                                     int first)
      : row(first + wt::wave_id() * kOwn), band(args, sequence), scale(args.scale) {
    wt::unrolled<kSums * kColumnParts>([&](auto n)
                                           WT_INLINE { wt::zero(sum[n / kColumnParts][n % kColumnParts]); });
  }

  // The rows that stay: of K and V, or of Q and dO.
  WT_DEVICE void load(const wt::gl<const T> &first, const wt::gl<const T> &second) {
    wt::unrolled<2 * kRowParts>([&](auto n) WT_INLINE {
      constexpr int kPart = n % kRowParts;
      plain_own_tile tile;
      wt::load(tile, n < kRowParts ? first : second, row, kPart * kRowPart);
      auto &to = own[n / kRowParts][kPart];
      wt::unrolled<plain_own_tile::kWide>([&](auto j) WT_INLINE { to.fragment[0][j] = tile.fragment[0][j]; });
      wt::keep(to);
    });
  }
  WT_DEVICE void load_starts(const float *starts, int rows) {
    wt::unrolled<2>([&](auto i) WT_INLINE { wt::load(start[i], starts + 2 * row + i * 32, rows - row); });
    wt::mul(start[0], start[0], scale);
  }

  // The rows that pass: of Q and dO, or of K and V. from: what S and dP begin with, if queries pass; dq: the
  // sums of dQ, for kernels that add to them.
  struct stream {
    using copier = attention_copier<block_lds, kWaves, Way>;
    static constexpr int kCopies = 2 * copier::kCopies;
    lds &memory;
    const copier copy[2];
    const float *const starts;
    float *const sums;
    const wt::lds_reader<block_lds, typename row_tile::layout> read_rows;
    const wt::lds_reader_tr<half_lds, column_tile> read_columns;
    const wt::u32 read_starts;

    WT_DEVICE stream(const wt::gl<const T> &first, const wt::gl<const T> &second, const float *from,
                     float *dq, lds &to)
        : memory(to),
          copy{copier(first), copier(second)},
          starts(from),
          sums(dq),
          read_rows(wt::lds_reader<block_lds, typename row_tile::layout>(0).at(wt::lds_address(&to))),
          read_columns(0, wt::lds_address(&to)),
          read_starts(wt::lds_address(&to.starts) +
                      static_cast<wt::u32>(wt::lane_id() / 32 * 4 * sizeof(float))) {}

    WT_DEVICE static unsigned stage_of(int block) { return static_cast<unsigned>(block) % kStages; }

    // Into its stage. The starts come first: a wait that does not count them waits for them too.
    WT_DEVICE void copy_block(int block) const {
      const unsigned stage = stage_of(block);
      if constexpr (kOfKeys) {
        if (wt::wave_id() == 0) {
          const int lane = attention_lane();
          const wt::buffer from = wt::make_buffer(starts + block * kStarts, kStarts * sizeof(float));
          wt::unrolled<kStarts / 64>([&](auto i) WT_INLINE {
            wt::buffer_load_to_lds<4>(from, lane * 4, i * 256,
                                      wt::lds_address(&memory.starts[stage]) + i * 256);
          });
        }
      }
      wt::unrolled<2>([&](auto i) WT_INLINE { issue_all(copy[i].copies(block, 0, memory.rows[stage][i])); });
    }
  };

  // What phase N multiplies.
  template <int N>
  WT_DEVICE auto products() {
    if constexpr (N < kOfSums) {
      constexpr int kI = kSums - 1 - N / kOfSum, kHalf = N % kOfSum / kColumnParts;
      return mma_ABt_list(sum[kI][N % kColumnParts], weights[kI][kHalf], columns[N % 2]);
    } else {
      constexpr int kI = (N - kOfSums) / kRowParts, kPart = (N - kOfSums) % kRowParts;
      return wt::mma_ABt_list < !kOfKeys && kPart == 0 > (made[kI], rows[N % 2], own[kI][kPart]);
    }
  }

  // What it reads of its block before.
  template <int N>
  WT_DEVICE auto reads(const stream &from, int block) {
    const auto place = [&](int i) WT_INLINE {
      return static_cast<wt::u32>((stream::stage_of(block) * 2 + i) * sizeof(block_lds));
    };
    if constexpr (N < kOfSums) {
      constexpr int kI = kSums - 1 - N / kOfSum, kHalf = N % kOfSum / kColumnParts;
      constexpr int kColumn = N % kColumnParts * kColumnPart;
      return from.read_columns.template reads_by_xor<kColumn, kHalf * sizeof(half_lds)>(columns[N % 2],
                                                                                        place(kI));
    } else {
      constexpr int kI = (N - kOfSums) / kRowParts, kPart = (N - kOfSums) % kRowParts;
      return wt::only_if < kOfKeys &&
             kPart == 0 > (start_reads<kI>(from, block)) +
                              from.read_rows.template reads_by_xor<kPart * kRowPart>(rows[N % 2], place(kI));
    }
  }

  // What S or dP begins with, 4 rows per read, as a lane has them.
  template <int I>
  WT_DEVICE auto start_reads(const stream &from, int block) {
    const wt::u32 place = from.read_starts + static_cast<wt::u32>(stream::stage_of(block) * kStarts * 4);
    return wt::list_of<kBlock / 8>([place, &to = made[I]](auto n) WT_INLINE {
      constexpr int kRow = n * 8, kFirst = kRow % 32 / 2;
      constexpr int kFrom = (kRow / 32 * 64 + I * 32 + kRow % 32) * static_cast<int>(sizeof(float));
      const auto values = wt::ds_read<wt::f32x4>(place, kFrom);
      wt::unrolled<4>([&](auto e) WT_INLINE { to.fragment[kRow / 32][0][kFirst + e] = values[e.value]; });
    });
  }

  // S (0) or dP (1), whose MFMAs have been issued, for the vector unit; S with its mask, in the block of
  // passing rows from `passing` on.
  template <int I>
  WT_DEVICE void take(int passing) {
    scores[I] = wt::release(made[I]);
    if constexpr (I == 0 && kOfKeys) {
      if (!band.sees_all(passing, kBlock, row, kOwn)) band.mask(scores[0], passing, row);
    } else if constexpr (I == 0) {
      if (!band.sees_all(row, kOwn, passing, kBlock)) band.template mask<true>(scores[0], row, passing);
    }
  }

  // P from S, and dS from P and dP: two elements each.
  static constexpr int kPairs = kBlock / 4;
  WT_DEVICE auto exponentials() {
    return wt::list_of<kPairs>([this](auto n) WT_INLINE {
      constexpr int kE = n % 8 * 2;
      auto &s = scores[0].fragment[n / 8][0];
      wt::f32x2 x = {s[kE], s[kE + 1]};
      if constexpr (kOfKeys) {
        x = x * scale;
      } else {
        x = wt::fma(x, wt::f32x2(scale), wt::f32x2(start[0].values[0]));
      }
      x = wt::exp2(x);
      s[kE] = x[0], s[kE + 1] = x[1];
      if constexpr (kOfKeys) weigh<1, n>(x);
    });
  }
  WT_DEVICE auto differences() {
    return wt::list_of<kPairs>([this](auto n) WT_INLINE {
      constexpr int kE = n % 8 * 2;
      const auto &p = scores[0].fragment[n / 8][0], &dp = scores[1].fragment[n / 8][0];
      wt::f32x2 x = {dp[kE], dp[kE + 1]};
      if constexpr (!kOfKeys) x = x + start[1].values[0];
      weigh<0, n>(wt::f32x2{p[kE], p[kE + 1]} * x);
    });
  }

  // Pair N, rounded, for the sums: an accumulator's elements are those of two operands, in order.
  template <int I, int N>
  WT_DEVICE void weigh(wt::f32x2 pair) {
    static_assert(s_tile::layout::row(32, 9) == 16 + p_layout::column(32, 1));
    constexpr int kFragment = N / 4, kWide = p_tile::kWide, kE = N % 4 * 2;
    const auto rounded = wt::from_f32<T>(pair);
    auto &to = weights[I][kFragment / kWide].fragment[0][kFragment % kWide];
    to[kE] = rounded[0], to[kE + 1] = rounded[1];
  }

  // Factor times sum I.
  template <int I>
  WT_DEVICE void store(const wt::gl<T> &to, float factor) {
    wt::unrolled<kColumnParts>([&](auto part) WT_INLINE {
      plain_sum_tile result = wt::release(sum[I][part]);
      wt::rt<T, kOwn, kColumnPart, typename plain_sum_tile::layout> rounded;
      wt::rt<T, kOwn, kColumnPart, wt::operand<32, 16, 8>> wide;  // 16 bytes of a row per lane and store
      wt::mul(result, result, factor);
      wt::convert(rounded, result);
      wt::convert_layout(wide, rounded);
      wt::store(to, wide, row, part * kColumnPart);
    });
  }
};

#endif
