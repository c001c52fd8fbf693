// SPDX-License-Identifier: MIT
// GEMM for few rows of A: limited by the bytes of B, which each work-group reads once. Its 4 waves take K
// steps in turn, all of them for the whole tile of C, and read both operands straight into registers, several
// steps ahead; LDS serves only to add up the waves' sums at the end, in the order of the waves.
//
// In flight per wave: kAhead steps of 128 bytes of K, 24 KB of B for 64 columns. What a compute unit's share
// of 8 TB/s needs to cover a latency of 900 ns is 28 KB (HBM: AMD's product page; latency: GGT's GEMM
// context), so one work-group is enough and a second one may reside.
//
// Rows may be unaligned (see global_load). The K that are no whole step are loaded with masks, by one wave.
#ifndef WT_KERNELS_GEMM_SKINNY_H
#define WT_KERNELS_GEMM_SKINNY_H

#include "gemm_frame.h"
#include "ops/row_reader.h"

// What sums are added as: integers wrap.
template <class Sum>
struct gemm_term {
  using type = Sum;
};
template <>
struct gemm_term<wt::i32> {
  using type = wt::u32;
};

template <class TA, class TB, int BM, int BN>
struct gemm_skinny {
  static constexpr int kWaves = 4, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kStepBytes = 128, kStep = kStepBytes * 8 / wt::kBits<TA>;
  static constexpr int kAhead = 3;                        // steps
  static constexpr int kTurnBytes = kWaves * kStepBytes;  // from a wave's step to its next
  using sum = wt::sum_t<TA>;
  using a_tile = wt::rt_a<TA, BM, kStep>;
  using b_tile = wt::rt_b<TB, BN, kStep>;
  using c_tile = wt::rt_ct<sum, BM, BN>;
  using staged = gemm_staged<sum, BM, BN>;
  struct lds {
    staged of_wave[kWaves];
  };

  const wt_gemm_args &args;
  int row, column;     // of C, where the work-group's tile begins
  wt::gl<const TA> a;  // from the tile's first row and the part's first k on
  wt::gl<const TB> b;

  WT_DEVICE explicit gemm_skinny(const wt_gemm_args &arguments) : args(arguments) {
    const wt_grid_tile tile = wt_grid_tile_of(args.order, wt::workgroup_x());
    const int part = wt::workgroup_y(), batch = wt::workgroup_z();
    row = tile.m * BM, column = tile.n * BN;
    const int k0 = part * args.k_part, left = args.k - k0, k = left < args.k_part ? left : args.k_part;
    a = {static_cast<const TA *>(args.a) + batch * args.a_batch, args.a_row, 1, args.m, k0 + k};
    b = {static_cast<const TB *>(args.b) + batch * args.b_batch, args.b_row, 1, args.n, k0 + k};
    a = a.from(row, k0), b = b.from(column, k0);
  }

  // This wave's steps.
  WT_DEVICE void main_loop(c_tile &c) const {
    const int wave = wt::wave_id(), steps = a.columns / kStep;
    wt::row_reader<a_tile> read_a(a.from(0, 0));
    wt::row_reader<b_tile> read_b(b.from(0, 0));
    read_a.advance(wave * kStepBytes), read_b.advance(wave * kStepBytes);
    a_tile at[kAhead];
    b_tile bt[kAhead];

    // Loads the step that is Step turns further on than the pointers.
    const auto load = [&](auto step) WT_INLINE {
      constexpr int kStage = step % kAhead, kOffset = step * kTurnBytes;
      issue_all(read_b.template reads<kOffset>(bt[kStage]) + read_a.template reads<kOffset>(at[kStage]));
      wt::sched_barrier();
    };
    const auto multiply = [&](auto step) WT_INLINE {
      wt::mma_ABt(c, at[step % kAhead], bt[step % kAhead]);
      wt::sched_barrier();
    };

    int left = (steps - wave + kWaves - 1) / kWaves;  // steps of this wave
    if (left >= kAhead) {
      // Without conditions, or the compiler would not know how many loads are in flight and wait for all.
      wt::unrolled<kAhead>(load);
#pragma unroll 1
      for (; left >= 2 * kAhead; left -= kAhead) {
        wt::unrolled<kAhead>([&](auto s) WT_INLINE {
          multiply(s);
          load(wt::index<s + kAhead>{});
        });
        read_a.advance(kAhead * kTurnBytes), read_b.advance(kAhead * kTurnBytes);
      }
      wt::unrolled<kAhead>([&](auto s) WT_INLINE {
        multiply(s);
        if (s + kAhead < left) load(wt::index<s + kAhead>{});
      });
      left -= kAhead;
    } else {
      wt::unrolled<kAhead - 1>([&](auto s) WT_INLINE {
        if (s < left) load(s);
      });
    }
    wt::unrolled<kAhead - 1>([&](auto s) WT_INLINE {
      if (s < left) multiply(s);
    });

    // What the whole steps leave over, by the wave whose turn it is.
    const int k = steps * kStep;
    if (k < a.columns && wave == steps % kWaves) {
      wt::row_reader<a_tile>(a.from(0, k)).load_masked(at[0], a.columns - k, k);
      wt::row_reader<b_tile>(b.from(0, k)).load_masked(bt[0], b.columns - k, k);
      multiply(wt::index<0>{});
    }
  }

  // Adds the waves' sums and stores the result.
  WT_DEVICE void finish(const c_tile &c, lds &memory) const {
    using sums = wt::registers<sum, 4>;
    using terms = wt::registers<typename gemm_term<sum>::type, 4>;
    wt::store(memory.of_wave[wt::wave_id()], c, 0, 0);
    wt::barrier();
    const gemm_output out(args);
    constexpr int kPerRow = BN / 4;
#pragma unroll 1
    for (int i = wt::thread_id(); i < BM * kPerRow; i += kThreads) {
      const int at = wt::swizzled<staged::kSwizzle>(i * 16);
      terms total = memory.of_wave[0].template at<terms>(at);
      wt::unrolled<kWaves - 1>([&](auto w)
                                   WT_INLINE { total += memory.of_wave[w + 1].template at<terms>(at); });
      out.put(__builtin_bit_cast(sums, total), row + i / kPerRow, column + i % kPerRow * 4);
    }
  }
};

template <class Skinny>
WT_DEVICE void gemm_of_few_rows(const wt_gemm_args &args) {
  WT_SHARED typename Skinny::lds memory;
  const Skinny work(args);
  typename Skinny::c_tile c;
  wt::zero(c);
  work.main_loop(c);
  work.finish(c, memory);
}

#endif
