// SPDX-License-Identifier: MIT
// Defines the frame of rungs 07 and 08: two stages of LDS tiles, one being multiplied while the copies of the
// next K step fill the other. The waves stand WavesM x WavesN, each owns a part of C in strips of 16 rows, so
// that no more than a strip of A is in registers at once. In each of its passes a wave multiplies some of its
// strips, for which it reads B anew.
#ifndef WT_EXAMPLES_GEMM_DOUBLE_BUFFERED_H
#define WT_EXAMPLES_GEMM_DOUBLE_BUFFERED_H

#include "gemm_elementwise.h"
#include "gemm_problem.h"

// Says how rows lie in LDS.
enum class rows_in_lds { plain, swizzled };

template <class In, int TileM, int TileN, int WavesM, int WavesN, int Passes, rows_in_lds Rows>
struct double_buffered {
  static constexpr int kTileM = TileM, kTileN = TileN;
  static constexpr int kWaves = WavesM * WavesN, kThreads = kWaves * wt::target::kWaveLanes;
  // This is 128 bytes of a row per K step, or 64 where two stages would not fit.
  static constexpr int kStep = 2 * (TileM + TileN) * 128 <= wt::target::kLdsBytes ? 128 : 64;
  static constexpr bool kSwizzled = Rows == rows_in_lds::swizzled;
  static constexpr wt::swizzle kSwizzle = kSwizzled ? wt::swizzle_for_row<kStep> : wt::no_swizzle;
  struct stage {
    wt::st<In, TileM, kStep, kSwizzle> a;
    wt::st<In, TileN, kStep, kSwizzle> b;
  };
  using a_copier = wt::lds_copier<decltype(stage::a), kWaves>;
  using b_copier = wt::lds_copier<decltype(stage::b), kWaves>;

  static constexpr int kWaveM = TileM / WavesM, kWaveN = TileN / WavesN, kStrips = kWaveM / 16;
  static constexpr int kPasses = Passes, kStripsOfPass = kStrips / Passes;
  static_assert(kStrips % Passes == 0, "a wave's strips of 16 rows are shared evenly by its passes");
  using a_strip = wt::rt_a<In, 16, kStep>;
  using b_part = wt::rt_b<In, kWaveN, kStep>;
  using c_strip = wt::rt_ct<float, 16, kWaveN>;
  static constexpr auto kConflicts = kSwizzled ? wt::bank_conflicts::refused : wt::bank_conflicts::allowed;
  using a_reader = wt::lds_reader<decltype(stage::a), typename a_strip::layout, kConflicts>;
  using b_reader = wt::lds_reader<decltype(stage::b), typename b_part::layout, kConflicts>;
};

template <class Shape, class In, class Out>
WT_DEVICE void gemm_double_buffered(const wt_gemm_args &args) {
  using stage = typename Shape::stage;
  WT_SHARED stage stages[2];
  const gemm_problem<In, Out> p(args);
  const int row0 = wt::workgroup_y() * Shape::kTileM, column0 = wt::workgroup_x() * Shape::kTileN;
  constexpr int kAcross = Shape::kTileN / Shape::kWaveN;  // waves
  const int wave_row = wt::wave_id() / kAcross * Shape::kWaveM;
  const int wave_column = wt::wave_id() % kAcross * Shape::kWaveN;
  const wt::gl<const In> a = p.a.from(row0, 0), b = p.b.from(column0, 0);
  constexpr int kAlignment = Shape::a_copier::kLaneBytes, kStep = Shape::kStep;
  const bool loadable = a.rows_aligned(kAlignment) && b.rows_aligned(kAlignment) &&
                        a.fits_buffer(Shape::kTileM) && b.fits_buffer(Shape::kTileN);
  const int steps = loadable ? args.k / kStep : 0;

  const wt::buffer from_a = wt::memory_of(a, Shape::kTileM), from_b = wt::memory_of(b, Shape::kTileN);
  const typename Shape::a_copier copy_a(a, 0);
  const typename Shape::b_copier copy_b(b, 0);
  const typename Shape::a_reader read_a = typename Shape::a_reader(wave_row).at(stages[0].a);
  const typename Shape::b_reader read_b = typename Shape::b_reader(wave_column).at(stages[0].b);
  typename Shape::c_strip c[Shape::kStrips] = {};

  const auto copy = [&](int step) WT_INLINE {
    stage &to = stages[step % 2];
    issue_all(copy_a.copies(from_a, step, to.a) + copy_b.copies(from_b, step, to.b));
  };
  const auto multiply = [&](int step) WT_INLINE {
    const wt::u32 from = step % 2 * sizeof(stage);
    wt::unrolled<Shape::kPasses>([&](auto pass) WT_INLINE {
      typename Shape::b_part y;
      wt::load(y, read_b.at(from));
      wt::unrolled<Shape::kStripsOfPass>([&](auto i) WT_INLINE {
        constexpr int kStrip = pass * Shape::kStripsOfPass + i;
        typename Shape::a_strip x;
        wt::load(x, read_a.at(from + kStrip * 16 * kStep));
        wt::mma_ABt(c[kStrip], x, y);
      });
      // The compiler would keep B for the next pass, and have no registers for it.
      if constexpr (Shape::kPasses > 1) __atomic_signal_fence(__ATOMIC_SEQ_CST);
    });
  };

  if (steps > 0) copy(0);
  for (int step = 0; step < steps; ++step) {
    // This wave's copies have landed and its reads are done. After the barrier that is true of all: the step
    // may be read, and the other stage overwritten.
    wt::wait_counts<0, 0>();
    wt::raw_barrier();
    if (step + 1 < steps) copy(step + 1);
    multiply(step);
  }
  for (int k0 = steps * kStep; k0 < args.k; k0 += kStep) {
    wt::barrier();
    load_elementwise<Shape::kThreads>(stages[0].a, a.from(0, k0));
    load_elementwise<Shape::kThreads>(stages[0].b, b.from(0, k0));
    wt::barrier();
    multiply(0);
  }
  wt::unrolled<Shape::kStrips>([&](auto strip) WT_INLINE {
    store_scaled(p.c, c[strip.value], row0 + wave_row + 16 * strip, column0 + wave_column, args.alpha,
                 args.beta);
  });
}

// Defines the kernels of a rung: tiles of M x N by WavesM x WavesN waves, which read B Passes times.
#define GEMM_DOUBLE_BUFFERED(rung, M, N, WavesM, WavesN, Passes, rows)                                   \
  namespace {                                                                                            \
  template <class In, class Out>                                                                         \
  WT_DEVICE void rung(const wt_gemm_args &args) {                                                        \
    gemm_double_buffered<double_buffered<In, M, N, WavesM, WavesN, Passes, rows_in_lds::rows>, In, Out>( \
        args);                                                                                           \
  }                                                                                                      \
  }                                                                                                      \
  GEMM_KERNELS(rung, WavesM * WavesN * wt::target::kWaveLanes)

#endif
