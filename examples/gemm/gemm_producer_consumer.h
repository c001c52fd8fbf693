// SPDX-License-Identifier: MIT
// Wave specialisation: four waves copy, the others, WavesM x WavesN, multiply 64 x 64 each. Published: on
// CDNA it loses, because registers are divided evenly among all waves and cannot be given to those that
// multiply, so that the tile of C must be smaller. BF16 at 9216^3 on MI355X: 900 TFLOP/s with 4 + 8 waves,
// 1129 with 4 + 12, and 1418 without producers (HipKittens, analysis/paper_experiments).
#ifndef WT_EXAMPLES_GEMM_PRODUCER_CONSUMER_H
#define WT_EXAMPLES_GEMM_PRODUCER_CONSUMER_H

#include "gemm_elementwise.h"
#include "gemm_problem.h"

constexpr int kProducerConsumerStep = wt::target::kGfx950 ? 128 : 64;

template <class In, int TileM, int TileN>
struct producer_consumer_stage {
  static constexpr wt::swizzle kSwizzle = wt::swizzle_for_row<kProducerConsumerStep>;
  wt::st<In, TileM, kProducerConsumerStep, kSwizzle> a;
  wt::st<In, TileN, kProducerConsumerStep, kSwizzle> b;
};

template <class In, class Out, int WavesM, int WavesN>
WT_DEVICE void gemm_producer_consumer(const wt_gemm_args &args) {
  constexpr int kProducers = 4, kWaveTile = 64, kTileM = WavesM * kWaveTile, kTileN = WavesN * kWaveTile;
  constexpr int kStep = kProducerConsumerStep;
  using stage = producer_consumer_stage<In, kTileM, kTileN>;
  constexpr int kStages = wt::target::kLdsBytes / static_cast<int>(sizeof(stage));  // 2 or 3
  using a_copier = wt::lds_copier<decltype(stage::a), kProducers>;
  using b_copier = wt::lds_copier<decltype(stage::b), kProducers>;
  using a_strip = wt::rt_a<In, 16, kStep>;
  using b_part = wt::rt_b<In, kWaveTile, kStep>;
  using a_reader = wt::lds_reader<decltype(stage::a), typename a_strip::layout>;
  using b_reader = wt::lds_reader<decltype(stage::b), typename b_part::layout>;

  WT_SHARED stage stages[kStages];
  const wt::u32 lds = wt::lds_address(&stages), lds_b = lds + sizeof(stage::a);
  const gemm_problem<In, Out> p(args);
  const int row0 = wt::workgroup_y() * kTileM, column0 = wt::workgroup_x() * kTileN;
  const wt::gl<const In> a = p.a.from(row0, 0), b = p.b.from(column0, 0);
  const bool loadable = a.rows_aligned(a_copier::kLaneBytes) && b.rows_aligned(a_copier::kLaneBytes) &&
                        a.fits_buffer(kTileM) && b.fits_buffer(kTileN);
  const int steps = loadable ? args.k / kStep : 0;

  const auto produce = [&]() WT_INLINE {
    const wt::buffer from_a = wt::memory_of(a, kTileM), from_b = wt::memory_of(b, kTileN);
    const a_copier copy_a(a.row_bytes(), 0, a.rows);
    const b_copier copy_b(b.row_bytes(), 0, b.rows);
    wt::sched::produce<kStages>(steps, [&](int step) WT_INLINE {
      const wt::u32 to = step % kStages * sizeof(stage);
      return copy_a.copies(from_a, step * kStep, lds + to) + copy_b.copies(from_b, step * kStep, lds_b + to);
    });
    for (int k0 = steps * kStep; k0 < args.k; k0 += kStep) {  // what copies cannot bring
      wt::barrier();
      load_elementwise<kProducers * wt::target::kWaveLanes>(stages[0].a, a.from(0, k0));
      load_elementwise<kProducers * wt::target::kWaveLanes>(stages[0].b, b.from(0, k0));
      wt::barrier();
    }
  };

  const auto consume = [&]() WT_INLINE {
    const int wave = wt::wave_id() - kProducers;
    const int wave_row = wave / WavesN * kWaveTile, wave_column = wave % WavesN * kWaveTile;
    const a_reader read_a = a_reader(wave_row).at(lds);
    const b_reader read_b = b_reader(wave_column).at(lds_b);
    constexpr int kStrips = kWaveTile / 16;
    wt::rt_ct<float, 16, kWaveTile> c[kStrips] = {};
    const auto multiply = [&](int step) WT_INLINE {
      const wt::u32 from = step % kStages * sizeof(stage);
      b_part y;
      wt::load(y, read_b.at(from));
      wt::unrolled<kStrips>([&](auto strip) WT_INLINE {
        a_strip x;
        wt::load(x, read_a.at(from + strip * 16 * kStep));
        wt::mma_ABt(c[strip.value], x, y);
      });
    };
    wt::sched::consume(steps, multiply);
    for (int k0 = steps * kStep; k0 < args.k; k0 += kStep) {
      wt::barrier();
      wt::barrier();
      multiply(0);
    }
    wt::unrolled<kStrips>([&](auto strip) WT_INLINE {
      store_scaled(p.c, c[strip.value], row0 + wave_row + 16 * strip, column0 + wave_column, args.alpha,
                   args.beta);
    });
  };
  wt::sched::by_role<kProducers>(produce, consume);
}

// Defines the kernels of a rung.
#define GEMM_PRODUCER_CONSUMER(rung, WavesM, WavesN)       \
  namespace {                                              \
  template <class In, class Out>                           \
  WT_DEVICE void rung(const wt_gemm_args &args) {          \
    gemm_producer_consumer<In, Out, WavesM, WavesN>(args); \
  }                                                        \
  }                                                        \
  GEMM_KERNELS(rung, (4 + WavesM * WavesN) * wt::target::kWaveLanes)

#endif
