// SPDX-License-Identifier: MIT
// Defines the frame of rungs 09 and 10: a tile of 256 x 256 in four quadrants of 128 x 128. LDS holds two K
// steps of A and B, each in halves of 128 rows, so that one half can be refilled while another is read. The
// waves stand WavesM x WavesN, and each owns the same part of every quadrant.
#ifndef WT_EXAMPLES_GEMM_QUADRANTS_H
#define WT_EXAMPLES_GEMM_QUADRANTS_H

#include "gemm_elementwise.h"
#include "gemm_problem.h"

template <class In, class Out, int WavesM, int WavesN>
struct quadrants {
  static constexpr int kTile = 256, kHalf = kTile / 2;
  static constexpr int kWaves = WavesM * WavesN, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kStep = wt::target::kGfx950 ? 128 : 64;  // two stages just fit LDS
  using half = wt::st<In, kHalf, kStep, wt::swizzle_for_row<kStep>>;
  struct stages {
    half a[2][2], b[2][2];  // of stage and half
  };
  static constexpr int kWaveM = kHalf / WavesM, kWaveN = kHalf / WavesN;
  using a_tile = wt::rt_a<In, kWaveM, kStep>;
  using b_tile = wt::rt_b<In, kWaveN, kStep>;
  using c_tile = wt::rt_ct<float, kWaveM, kWaveN>;
  using a_reader = wt::lds_reader<half, typename a_tile::layout>;
  using b_reader = wt::lds_reader<half, typename b_tile::layout>;
  using copier = wt::lds_copier<half, kWaves>;
  static constexpr int kCopies = copier::kCopies;  // of a half, by each wave

  gemm_problem<In, Out> p;
  stages &tiles;
  int row, column;        // of C, where this wave's part of the first quadrant begins
  wt::gl<const In> a, b;  // from the tile's first rows on
  int steps;              // whole K steps for the main loop: at least 2, or none
  wt::buffer from_a, from_b;
  a_reader read_a;
  b_reader read_b;
  copier copy_a[2], copy_b[2];

  WT_DEVICE quadrants(const wt_gemm_args &args, stages &lds)
      : p(args),
        tiles(lds),
        row(wt::workgroup_y() * kTile + wt::wave_id() / WavesN * kWaveM),
        column(wt::workgroup_x() * kTile + wt::wave_id() % WavesN * kWaveN),
        a(p.a.from(wt::workgroup_y() * kTile, 0)),
        b(p.b.from(wt::workgroup_x() * kTile, 0)),
        from_a(wt::memory_of(a, kTile)),
        from_b(wt::memory_of(b, kTile)),
        read_a(a_reader(wt::wave_id() / WavesN * kWaveM).at(lds.a[0][0])),
        read_b(b_reader(wt::wave_id() % WavesN * kWaveN).at(lds.b[0][0])),
        copy_a{{a, 0}, {a, kHalf}},
        copy_b{{b, 0}, {b, kHalf}} {
    a.column_stride = b.column_stride = 1;  // known while compiling, it needs no registers
    const bool loadable = a.rows_aligned(copier::kLaneBytes) && b.rows_aligned(copier::kLaneBytes) &&
                          a.fits_buffer(kTile) && b.fits_buffer(kTile);
    steps = loadable && args.k >= 2 * kStep ? args.k / kStep : 0;
  }

  // Return the copies of half h of a step, and its reads. Stages follow each other, each of two halves.
  static WT_DEVICE wt::u32 number(int step, int h) { return static_cast<wt::u32>(2 * (step & 1) + h); }
  WT_DEVICE auto a_copies(int step, int h) const {
    return copy_a[h].copies(from_a, step, wt::lds_parts<half>(tiles.a)[number(step, h)]);
  }
  WT_DEVICE auto b_copies(int step, int h) const {
    return copy_b[h].copies(from_b, step, wt::lds_parts<half>(tiles.b)[number(step, h)]);
  }
  WT_DEVICE auto a_reads(a_tile &to, int step, int h) const {
    return read_a.at(number(step, h) * sizeof(half)).reads(to);
  }
  WT_DEVICE auto b_reads(b_tile &to, int step, int h) const {
    return read_b.at(number(step, h) * sizeof(half)).reads(to);
  }

  // Adds all K that is no part of the main loop.
  template <class Accumulators>
  WT_DEVICE void add_rest(Accumulators &c) const {
    for (int k0 = steps * kStep; k0 < a.columns; k0 += kStep) {
      wt::barrier();
      wt::unrolled<2>([&](auto h) WT_INLINE {
        load_elementwise<kThreads>(tiles.a[0][h], a.from(h * kHalf, k0));
        load_elementwise<kThreads>(tiles.b[0][h], b.from(h * kHalf, k0));
      });
      wt::barrier();
      wt::unrolled<4>([&](auto q) WT_INLINE {
        a_tile x;
        b_tile y;
        issue_all(a_reads(x, 0, q / 2) + b_reads(y, 0, q % 2));
        wt::mma_ABt(c[q / 2][q % 2], x, y);
        wt::sched_barrier();  // or the operands of all four are read first, and spill
      });
    }
  }

  template <class Accumulators>
  WT_DEVICE void store(Accumulators &c, float alpha, float beta) const {
    wt::unrolled<4>([&](auto q) WT_INLINE {
      store_scaled(p.c, wt::release(c[q / 2][q % 2]), row + q / 2 * kHalf, column + q % 2 * kHalf, alpha,
                   beta);
      wt::sched_barrier();
    });
  }
};

#endif
