// SPDX-License-Identifier: MIT
// Wave specialisation: four waves copy, the others, WavesM x WavesN, multiply 64 x 64 each. Published: on
// CDNA it loses, because registers are divided evenly among all waves and cannot be given to those that
// multiply, so that the tile of C must be smaller. HipKittens gives, for BF16 at 9216^3 on MI355X, 900
// TFLOP/s with 4 + 8 waves, 1129 with 4 + 12, and 1418 without producers (analysis/paper_experiments).
//
// The schedule is the published kernels' (HipKittens, producer_consumer micros), to be compared with them:
// one step under way while one is multiplied, half a line of memory of every row at a time, both halves one
// after the other; operands are read right before they are multiplied; and their grid order. It is no
// schedule of sched/pipeline.h, all of whose waves issue the same ops: to derive the waits of two kinds of
// waves would serve only kernels that are slower (README.md has the figures).
#ifndef WT_EXAMPLES_GEMM_PRODUCER_CONSUMER_H
#define WT_EXAMPLES_GEMM_PRODUCER_CONSUMER_H

#include "gemm_elementwise.h"
#include "gemm_problem.h"

// Describes a K step in LDS: parts of 64 bytes of every row, as many as fit beside a second stage.
template <class In, int TileM, int TileN>
struct producer_consumer_stage {
  static constexpr int kParts = wt::target::kGfx950 ? 2 : 1, kPartBytes = 64;
  static constexpr int kPart = kPartBytes / static_cast<int>(sizeof(In));  // elements
  static constexpr wt::swizzle kSwizzle = wt::swizzle_for_row<kPartBytes>;
  using a_tile = wt::st<In, TileM, kPart, kSwizzle>;
  using b_tile = wt::st<In, TileN, kPart, kSwizzle>;
  a_tile a[kParts];
  b_tile b[kParts];
};

// Describes the two stages: where they lie, and what the waves do with them.
template <class In, class Out, int WavesM, int WavesN>
struct producer_consumer {
  static constexpr int kProducers = 4, kWaveTile = 64, kTileM = WavesM * kWaveTile,
                       kTileN = WavesN * kWaveTile;
  using stage = producer_consumer_stage<In, kTileM, kTileN>;
  static constexpr int kStages = 2, kParts = stage::kParts, kPart = stage::kPart, kStep = kParts * kPart;
  using a_tile = typename stage::a_tile;
  using b_tile = typename stage::b_tile;
  using a_copier = wt::lds_copier<a_tile, kProducers>;
  using b_copier = wt::lds_copier<b_tile, kProducers>;
  static constexpr int kHalf = kWaveTile / 2;  // of a wave's rows or columns
  using a_part = wt::rt_a<In, kHalf, kPart>;
  using b_part = wt::rt_b<In, kHalf, kPart>;
  using a_reader = wt::lds_reader<a_tile, typename a_part::layout>;
  using b_reader = wt::lds_reader<b_tile, typename b_part::layout>;

  // Returns the copies of a step by this wave, the parts of a row in turn.
  template <class Copier>
  static WT_DEVICE auto copies(const Copier &copier, wt::buffer from, int step,
                               wt::lds_place<typename Copier::tile> to) {
    return wt::list_of<kParts * Copier::kCopies>([=](auto i) WT_INLINE {
      constexpr int kOf = i % kParts;
      copier.template copy<i / kParts>(from, (step * kParts + kOf) * stage::kPartBytes, to[kOf]);
    });
  }

  // Adds to a wave's 64 x 64 elements of C what the stage at LDS address `from` holds for them.
  template <class C>
  static WT_DEVICE void multiply(C &c, const a_reader &read_a, const b_reader &read_b, wt::u32 from) {
    a_part x[kParts];
    b_part y[2][kParts];
    const auto load_a = [&](auto half) WT_INLINE {
      wt::unrolled<kParts>([&](auto p) WT_INLINE {
        wt::load(x[p.value], read_a.at(from + p * sizeof(a_tile) + half * kHalf * stage::kPartBytes));
      });
    };
    const auto load_b = [&](auto half) WT_INLINE {
      wt::unrolled<kParts>([&](auto p) WT_INLINE {
        wt::load(y[half.value][p.value],
                 read_b.at(from + p * sizeof(b_tile) + half * kHalf * stage::kPartBytes));
      });
    };
    // Waits for the reads; MFMAs come before what other waves issue.
    const auto quarters = [&](const auto &products) WT_INLINE {
      wt::wait_lds<0>();
      wt::sched_barrier();
      wt::s_setprio<1>();
      products();
      wt::s_setprio<0>();
      wt::sched_barrier();
    };
    const auto quarter = [&](auto i, auto j) WT_INLINE {
      wt::unrolled<kParts>(
          [&](auto p) WT_INLINE { wt::mma_ABt(c[i.value][j.value], x[p.value], y[j.value][p.value]); });
    };
    constexpr wt::index<0> kFirst;
    constexpr wt::index<1> kSecond;
    load_b(kFirst);
    load_a(kFirst);
    quarters([&]() WT_INLINE { quarter(kFirst, kFirst); });
    load_b(kSecond);
    quarters([&]() WT_INLINE { quarter(kFirst, kSecond); });
    load_a(kSecond);
    quarters([&]() WT_INLINE {
      quarter(kSecond, kFirst);
      quarter(kSecond, kSecond);
    });
  }
};

template <class In, class Out, int WavesM, int WavesN>
WT_DEVICE void gemm_producer_consumer(const wt_gemm_args &args) {
  using frame = producer_consumer<In, Out, WavesM, WavesN>;
  using stage = typename frame::stage;
  constexpr int kStep = frame::kStep, kTileM = frame::kTileM, kTileN = frame::kTileN;
  WT_SHARED stage stages[frame::kStages];
  const gemm_problem<In, Out> p(args);
  const int id = wt::workgroup_y() * wt_grid_tiles(args.n, kTileN) + wt::workgroup_x();
  const wt_grid_tile tile = wt_grid_tile_of(args.grid, id);
  const int row0 = tile.m * kTileM, column0 = tile.n * kTileN;
  const wt::gl<const In> a = p.a.from(row0, 0), b = p.b.from(column0, 0);
  constexpr int kAlignment = frame::a_copier::kLaneBytes;
  const bool loadable = a.rows_aligned(kAlignment) && b.rows_aligned(kAlignment) && a.fits_buffer(kTileM) &&
                        b.fits_buffer(kTileN);
  const int steps = loadable ? args.k / kStep : 0;

  const auto produce = [&]() WT_INLINE {
    const wt::buffer from_a = wt::memory_of(a, kTileM), from_b = wt::memory_of(b, kTileN);
    const typename frame::a_copier copy_a(a, 0);
    const typename frame::b_copier copy_b(b, 0);
    wt::sched::produce<frame::kStages>(steps, [&](int step) WT_INLINE {
      stage &to = stages[step % frame::kStages];
      return frame::copies(copy_a, from_a, step, to.a[0]) + frame::copies(copy_b, from_b, step, to.b[0]);
    });
    for (int k0 = steps * kStep; k0 < args.k; k0 += kStep) {  // what copies cannot bring
      constexpr int kThreads = frame::kProducers * wt::target::kWaveLanes;
      wt::barrier();
      wt::unrolled<frame::kParts>([&](auto part) WT_INLINE {
        load_elementwise<kThreads>(stages[0].a[part], a.from(0, k0 + part * frame::kPart));
        load_elementwise<kThreads>(stages[0].b[part], b.from(0, k0 + part * frame::kPart));
      });
      wt::barrier();
    }
  };

  const auto consume = [&]() WT_INLINE {
    const int wave = wt::wave_id() - frame::kProducers;
    const int wave_row = wave / WavesN * frame::kWaveTile, wave_column = wave % WavesN * frame::kWaveTile;
    const typename frame::a_reader read_a = typename frame::a_reader(wave_row).at(stages[0].a[0]);
    const typename frame::b_reader read_b = typename frame::b_reader(wave_column).at(stages[0].b[0]);
    wt::rt_ct<float, frame::kHalf, frame::kHalf> c[2][2] = {};
    wt::sched::consume(steps, [&](int step) WT_INLINE {
      frame::multiply(c, read_a, read_b, step % frame::kStages * sizeof(stage));
    });
    for (int k0 = steps * kStep; k0 < args.k; k0 += kStep) {
      wt::barrier();
      wt::barrier();
      frame::multiply(c, read_a, read_b, 0);
    }
    wt::unrolled<4>([&](auto q) WT_INLINE {
      constexpr int kI = q / 2, kJ = q % 2;
      store_scaled(p.c, c[kI][kJ], row0 + wave_row + kI * frame::kHalf,
                   column0 + wave_column + kJ * frame::kHalf, args.alpha, args.beta);
    });
  };
  wt::sched::by_role<frame::kProducers>(produce, consume);
}

// Defines the kernels of a rung.
#define GEMM_PRODUCER_CONSUMER(rung, WavesM, WavesN)       \
  namespace {                                              \
  template <class In, class Out>                           \
  WT_DEVICE void rung(const wt_gemm_args &args) {          \
    gemm_producer_consumer<In, Out, WavesM, WavesN>(args); \
  }                                                        \
  }                                                        \
  GEMM_KERNELS_OF(rung, (4 + WavesM * WavesN) * wt::target::kWaveLanes, bf16, bf16)

#endif
