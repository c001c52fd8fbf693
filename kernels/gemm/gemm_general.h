// SPDX-License-Identifier: MIT
// Multiplies A and B with or without transposition, at any alignment and of any size: it takes what the other
// kernels refuse. A compute unit holds two work-groups of 4 waves. The loads of the next K step are in flight
// while this one is multiplied, and go through registers to the other stage in LDS.
//
// Each operand takes one of three paths, chosen when the kernel starts:
//   k contiguous       16 bytes per load and LDS write.
//   rows contiguous    (stored k x m, k x n) gfx950: the same into a tile that lies k by k, and transposed
//                      reads from LDS, twice as many as plain ones. gfx942: loads of 4 rows of one k, v_perm
//                      transposes them in the registers (one per 4 bytes), LDS writes of 8 bytes; a load
//                      moves a half (16-bit types) or a quarter of the bytes.
//   anything else      both strides other than 1, or k less than 16 elements apart with rows contiguous:
//                      every element by a load of its own, nothing in flight meanwhile. Slow: some fifty
//                      times the instructions.
// Alignment does not matter to the first two paths; see global_load. The K that fill no whole step take the
// third path. So does the last step at C's lower or right edge where rows are contiguous and the loads would
// reach past the operand's last element.
//
// The loop is written by hand. A step has one wait and one barrier, in front of it: LDS holds two stages, and
// the compiler waits for the registers of the loads. A schedule would derive the same, in four variants of
// other lists each, for a kernel that takes what others refuse. Predicted for BF16 with M = N = K = 2048 and
// rows 2049 apart on MI355X, repeated (wavetile prof --timing only): the matrix cores are busy for 31% of the
// loop; 32% goes to waves that wait for each other at that barrier and 23% to loads that have not arrived. A
// third stage would help against both, and leave no LDS for the second work-group of a compute unit.
#ifndef WT_KERNELS_GEMM_GENERAL_H
#define WT_KERNELS_GEMM_GENERAL_H

#include "gemm_frame.h"
#include "gemm_step.h"

template <class T>
WT_DEVICE gemm_order gemm_order_of(const wt::gl<const T> &operand) {
  // A load of up to 16 elements that begins in the matrix and goes past its rows must end before the next k's
  // row does.
  static constexpr int kLongestLoad = 16;
  if (operand.column_stride == 1) return gemm_order::k_contiguous;
  return operand.row_stride == 1 && operand.column_stride >= kLongestLoad ? gemm_order::rows_contiguous
                                                                          : gemm_order::other;
}

// Returns the swizzle of tiles with k along the rows: for the operands' reads and all writes. gfx942 writes
// with transposition, too.
template <int StepBytes>
consteval wt::swizzle gemm_general_swizzle() {
  if constexpr (wt::target::kGfx950) {
    return wt::swizzle_for_row<StepBytes>;
  } else {
    using tile = wt::st<wt::i8, 8192 / StepBytes, StepBytes>;
    return wt::solve_swizzle_within<wt::target::kChip, wt::swizzle_limits{.period = 16 * StepBytes},
                                    wt::read_of_operand<16, StepBytes>, wt::write_of_row_stager<tile, 256>,
                                    wt::write_of_transposing_stager<tile, 256>>();
  }
}

// Takes one operand through LDS: a stager, and the reads of register tiles of type Tile from a half of the
// LDS tile. In this path k lies along the rows of the LDS tile. Half is the type of a half of that tile.
template <class Stager, class Half, class Tile>
struct gemm_plain_path {
  using T = typename Tile::element;
  Stager stage;
  wt::lds_reader<Half, typename Tile::layout> reader;

  using lds = typename Stager::tile;
  WT_DEVICE gemm_plain_path(const wt::gl<const T> &operand, wt::lds_place<lds> tile, int wave_row)
      : stage(operand),
        reader(wt::lds_reader<Half, typename Tile::layout>(wave_row).at(wt::lds_parts<Half>(tile))) {}
  template <int Which>
  WT_DEVICE auto reads(Tile &to, wt::u32 offset) const {
    return reader.at(offset + Which * sizeof(Half)).reads(to);
  }
};

// In this path the LDS tile has a row for each k (gfx950).
template <class T, int Rows, int Step, class Tile, int Threads>
struct gemm_transposed_path {
  static constexpr int kRowBytes = Rows * wt::kBits<T> / 8;
  static constexpr wt::swizzle kSwizzle =
      wt::solve_swizzle<wt::target::kChip,
                        wt::read_of_transposed_operand<T, typename Tile::layout, kRowBytes>,
                        wt::write_of_row_stager<wt::st<T, Step, Rows>, Threads>>;
  using lds = wt::st<T, Step, Rows, kSwizzle>;
  wt::row_stager<lds, Threads> stage;
  wt::lds_reader_tr<lds, Tile> reader[2];

  WT_DEVICE gemm_transposed_path(const wt::gl<const T> &operand, wt::lds_place<lds> tile, int wave_row)
      : stage(wt::row_major(operand.data, operand.columns, operand.rows, operand.column_stride)),
        reader{{wave_row, tile}, {Rows / 2 + wave_row, tile}} {}
  template <int Which>
  WT_DEVICE auto reads(Tile &to, wt::u32 offset) const {
    return reader[Which].reads(to, offset);
  }
};

template <gemm_order Order, class ST, class Half, class Tile, int Threads>
struct gemm_path_of {
  using type = gemm_plain_path<wt::row_stager<ST, Threads>, Half, Tile>;
};
template <class ST, class Half, class Tile, int Threads>
struct gemm_path_of<gemm_order::rows_contiguous, ST, Half, Tile, Threads> {
  template <wt::target::chip>
  struct choice {
    using type = gemm_transposed_path<typename Tile::element, ST::kRows, ST::kColumns, Tile, Threads>;
  };
  template <>
  struct choice<wt::target::chip::gfx942> {
    using type = gemm_plain_path<wt::transposing_stager<ST, Threads>, Half, Tile>;
  };
  using type = typename choice<wt::target::kChip>::type;
};

// A step multiplies so many bytes along K. Two stages take less than half of a compute unit's LDS, so that
// two work-groups fit.
template <int BM, int BN>
inline constexpr int gemm_general_step_bytes = wt::target::kGfx950 || BM + BN <= 128 ? 128 : 64;

template <class TA, class TB, int BM, int BN, int Stages>
struct gemm_general
    : gemm_frame<TA, TB, BM, BN, 2, 2, wt::placement::compiler, gemm_general_step_bytes<BM, BN>, Stages,
                 gemm_general_swizzle<gemm_general_step_bytes<BM, BN>>()> {
  static_assert(Stages == 2, "the main loop goes from one stage to the other");
  using frame = gemm_frame<TA, TB, BM, BN, 2, 2, wt::placement::compiler, gemm_general_step_bytes<BM, BN>,
                           Stages, gemm_general_swizzle<gemm_general_step_bytes<BM, BN>>()>;
  using typename frame::accumulators, typename frame::stages;
  using a_lds = wt::st<TA, BM, frame::kStep, frame::kSwizzle>;
  using b_lds = wt::st<TB, BN, frame::kStep, frame::kSwizzle>;
  template <gemm_order Order>
  using a_path = typename gemm_path_of<Order, a_lds, typename frame::a_half, typename frame::a_tile,
                                       frame::kThreads>::type;
  template <gemm_order Order>
  using b_path = typename gemm_path_of<Order, b_lds, typename frame::b_half, typename frame::b_tile,
                                       frame::kThreads>::type;

  using frame::frame;

  // Whether loads along the rows would go past their end, and so, in the last column, past the matrix.
  template <class T>
  WT_DEVICE static bool overreaches(const wt::gl<const T> &operand, int tile_rows) {
    static constexpr int kVector = wt::target::kGfx950 ? 16 / static_cast<int>(sizeof(T)) : 4;
    return gemm_order_of(operand) == gemm_order::rows_contiguous && operand.rows < tile_rows &&
           operand.rows % kVector != 0;
  }

  // Sets c to the product of as many whole steps as vectors of both operands can be loaded for.
  WT_DEVICE void main_loop(accumulators &c, stages &tiles) {
    wt::zero(c);
    const gemm_order order_a = gemm_order_of(this->a), order_b = gemm_order_of(this->b);
    const int last = overreaches(this->a, BM) || overreaches(this->b, BN) ? 1 : 0;
    this->steps = order_a == gemm_order::other || order_b == gemm_order::other
                      ? 0
                      : (this->a.columns - last) / frame::kStep;
    if (this->steps == 0) return;
    constexpr gemm_order kK = gemm_order::k_contiguous, kRows = gemm_order::rows_contiguous;
    if (order_a == kK) {
      order_b == kK ? whole_steps<kK, kK>(c, tiles) : whole_steps<kK, kRows>(c, tiles);
    } else {
      order_b == kK ? whole_steps<kRows, kK>(c, tiles) : whole_steps<kRows, kRows>(c, tiles);
    }
  }

  // Multiplies the remaining K through masked loads.
  WT_DEVICE void rest(accumulators &c, stages &tiles) const {
#pragma unroll 1
    for (int k = this->steps * frame::kStep; k < this->a.columns; k += frame::kStep) {
      this->masked_step(c, tiles, k);
    }
  }

 private:
  // Returns the bytes from one K step of the operand to the next.
  template <class T>
  WT_DEVICE static long long step_bytes(const wt::gl<const T> &operand) {
    return frame::kStep * operand.column_stride * static_cast<long long>(sizeof(T));
  }

  template <gemm_order OrderA, gemm_order OrderB>
  WT_DEVICE void whole_steps(accumulators &c, stages &tiles) const {
    const auto lds_a = wt::lds_parts<typename a_path<OrderA>::lds>(tiles.a);
    const auto lds_b = wt::lds_parts<typename b_path<OrderB>::lds>(tiles.b);
    a_path<OrderA> path_a(this->a, lds_a, this->wave_m);
    b_path<OrderB> path_b(this->b, lds_b, this->wave_n);
    static_assert(wt::puts_to_lds<decltype(path_a.stage), long long> &&
                      wt::puts_to_lds<decltype(path_b.stage), long long>,
                  "a path needs a loader with fetches(advance) and puts<Nth>(to) (ops/brings_to_lds.h)");
    typename frame::a_tile a[2];
    typename frame::b_tile b[2];
    const long long bytes_a = step_bytes(this->a), bytes_b = step_bytes(this->b);

    // Loads the next step; after the last one it loads the last one again rather than nothing.
    int left = this->steps - 1;  // steps after the one that is loaded next
    const auto a_loads = [&] WT_INLINE { return path_a.stage.fetches(left > 0 ? bytes_a : 0); };
    const auto b_loads = [&] WT_INLINE { return path_b.stage.fetches(left > 0 ? bytes_b : 0); };

    wt::u32 now = 0;  // the stage that is multiplied: 0 or 1
    const auto step = [&](auto which) WT_INLINE {
      constexpr wt::presence kMore = wt::when(which == gemm_step::more_follow);
      const wt::u32 from_a = now * sizeof(a_lds), from_b = now * sizeof(b_lds);
      const auto to_a = lds_a[now ^ 1];
      const auto to_b = lds_b[now ^ 1];
      issue_all(path_a.template reads<0>(a[0], from_a) + path_b.template reads<0>(b[0], from_b));
      wt::sched::interleave(mma_ABt_list(c[0][0], a[0], b[0]),
                            path_b.template reads<1>(b[1], from_b) + path_a.template reads<1>(a[1], from_a));
      wt::sched::interleave(mma_ABt_list(c[0][1], a[0], b[1]),
                            wt::only<kMore>(path_a.stage.template puts<0>(to_a) + a_loads()));
      wt::sched::interleave(mma_ABt_list(c[1][0], a[1], b[0]),
                            wt::only<kMore>(path_b.stage.template puts<0>(to_b) + b_loads()));
      wt::mma_ABt(c[1][1], a[1], b[1]);
      now ^= 1;
      --left;
    };

    issue_all(a_loads() + b_loads());
    --left;
    issue_all(path_a.stage.template puts<0>(lds_a) + path_b.stage.template puts<0>(lds_b));
    issue_all(a_loads() + b_loads());
    --left;
#pragma unroll 1
    for (int i = 1; i < this->steps; ++i) {
      wt::wait_lds<0>();
      wt::raw_barrier();
      step(gemm_step_is<gemm_step::more_follow>{});
    }
    wt::wait_lds<0>();
    wt::raw_barrier();
    step(gemm_step_is<gemm_step::last>{});
  }
};

#define GEMM_GENERAL_KERNELS(pairs, ...) GEMM_KERNELS(pairs, gemm, gemm_general, __VA_ARGS__)

#endif
