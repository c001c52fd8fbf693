// SPDX-License-Identifier: MIT
// What the tiled GEMM kernels share around their main loops: which tile of C a work-group computes, how it is
// divided among the waves, and the K steps that the main loop leaves over.
#ifndef WT_KERNELS_GEMM_FRAME_H
#define WT_KERNELS_GEMM_FRAME_H

#include "gemm_epilogue.h"
#include "gemm_pairs.h"

// How tiles come from memory to LDS.
enum class gemm_to_lds { direct, through_registers };
template <class Half, int Waves, gemm_to_lds Path>
struct gemm_copier_of {
  using type = wt::lds_copier<Half, Waves>;
};
template <class Half, int Waves>
struct gemm_copier_of<Half, Waves, gemm_to_lds::through_registers> {
  using type = wt::register_copier<Half, Waves>;
};

// Fills halves of tiles from a matrix in memory.
template <class Copier>
struct gemm_copier : Copier {
  // For the half that begins at row first_row of the operand.
  template <class T>
  WT_DEVICE gemm_copier(const wt::gl<const T> &operand, int first_row)
      : Copier(operand.row_bytes(), first_row, operand.rows) {}
};

// Where the rows of A come from: the rows of a matrix. kernels/conv/conv_pixels.h has another source.
//   args      of the kernel, which contain those of the product
//   operand   A as a work-group sees it: rows, columns, from(row, k), memory_of and load_masked
//   copier    fills halves of tiles from it
//   kLeavesScalars   whether it leaves scalar registers for an early store (gemm_early_store.h)
template <class T>
struct gemm_rows {
  static constexpr bool kLeavesScalars = true;
  using args = wt_gemm_args;
  using operand = wt::gl<const T>;
  template <class Copier>
  using copier = gemm_copier<Copier>;

  WT_DEVICE static const wt_gemm_args &product(const args &all) { return all; }
  // The A of a member of the batch, up to column `columns`.
  WT_DEVICE static operand of(const args &all, int batch, int columns) {
    return {static_cast<const T *>(all.a) + batch * all.a_batch, all.a_row, all.a_col, all.m, columns};
  }
};

// One work-group multiplies BM x k by k x BN. LDS holds tiles in halves of the rows, so that one half can be
// refilled while the other is read. The waves stand WavesM x WavesN, and a wave owns the same part of each of
// the four quadrants of C.
//   Placement  of the accumulators in registers (tiles/rt_pinned.h).
//   StepBytes  the bytes along K that one step multiplies. Two stages of 256 x 256 just fit both chips' LDS
//              with the default: 128, or 64 where LDS is small.
//   Stages     how many tiles of each operand LDS holds; main loops have at least as many steps. With one
//              stage tiles go through registers, which hold the next steps: main loops then have at least
//              two, and a multiple of kTogether.
//   Swizzle    the swizzle of the tiles in LDS.
//   Source     where A's rows come from.
inline constexpr int kStepBytesOfChip = wt::target::kGfx950 ? 128 : 64;
template <class TA, class TB, int BM, int BN, int WavesM, int WavesN, wt::placement Placement,
          int StepBytes = kStepBytesOfChip, int Stages = 2,
          wt::swizzle Swizzle = wt::swizzle_for_row<StepBytes>, class Source = gemm_rows<TA>>
struct gemm_frame {
  using source = Source;
  static constexpr bool kLeavesScalars = Source::kLeavesScalars;
  using args_type = typename Source::args;
  static constexpr int kTileM = BM, kTileN = BN;
  static constexpr int kWaves = WavesM * WavesN, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kStepBytes = StepBytes, kStages = Stages;
  static constexpr int kStep = kStepBytes * 8 / wt::kBits<TA>;
  static constexpr wt::swizzle kSwizzle = Swizzle;
  using a_half = wt::st<TA, BM / 2, kStep, kSwizzle>;
  using b_half = wt::st<TB, BN / 2, kStep, kSwizzle>;
  struct stages {
    wt::st<TA, BM, kStep, kSwizzle> a[Stages];  // the upper half's rows, then the lower half's
    wt::st<TB, BN, kStep, kSwizzle> b[Stages];
  };
  using staged = gemm_staged<wt::sum_t<TA>, BM / 2, BN / 2>;
  union lds {
    stages tiles;
    staged quadrant;
  };

  // A wave's part of a quadrant, and the operands of one K step for it.
  static constexpr int kWaveM = BM / 2 / WavesM, kWaveN = BN / 2 / WavesN;
  using sum = wt::sum_t<TA>;
  using c_tile = wt::rt_ct<sum, kWaveM, kWaveN>;
  using accumulators = wt::placed_t<Placement, c_tile>[2][2];
  using a_tile = wt::rt_a<TA, kWaveM, kStep>;
  using b_tile = wt::rt_b<TB, kWaveN, kStep>;
  using a_reader = wt::lds_reader<a_half, typename a_tile::layout>;
  using b_reader = wt::lds_reader<b_half, typename b_tile::layout>;
  static constexpr bool kThroughRegisters = Stages == 1;
  static constexpr gemm_to_lds kPath =
      kThroughRegisters ? gemm_to_lds::through_registers : gemm_to_lds::direct;
  // K steps that are loaded together: those in a line of L2 (ops/register_copier.h).
  static constexpr int kTogether = kThroughRegisters && StepBytes < 128 ? 128 / StepBytes : 1;
  static constexpr int kLeastSteps = kThroughRegisters ? 2 : Stages;  // that main loops have
  using a_copier = typename Source::template copier<typename gemm_copier_of<a_half, kWaves, kPath>::type>;
  using b_copier = gemm_copier<typename gemm_copier_of<b_half, kWaves, kPath>::type>;

  int row, column;             // of C, where the work-group's tile begins
  int wave_m, wave_n;          // of this wave in its quadrant
  typename Source::operand a;  // from the tile's first row and the part's first k on
  wt::gl<const TB> b;
  int steps;  // whole K steps, for the main loop: a multiple of kTogether

  WT_DEVICE explicit gemm_frame(const args_type &all) : gemm_frame(all, first_tile(Source::product(all))) {}
  WT_DEVICE gemm_frame(const args_type &all, wt_grid_tile tile) {
    const wt_gemm_args &args = Source::product(all);
    const int part = wt::workgroup_y(), batch = wt::workgroup_z();
    row = tile.m * BM, column = tile.n * BN;
    wave_m = wt::wave_id() / WavesN * kWaveM, wave_n = wt::wave_id() % WavesN * kWaveN;
    const int k0 = part * args.k_part, left = args.k - k0, k = left < args.k_part ? left : args.k_part;
    b = {static_cast<const TB *>(args.b) + batch * args.b_batch, args.b_row, args.b_col, args.n, k0 + k};
    a = Source::of(all, batch, k0 + k).from(row, k0), b = b.from(column, k0);
    steps = k / (kStep * kTogether) * kTogether;
  }

  // The tile of a work-group that computes one. What it is loaded from comes with what says which it is.
  WT_DEVICE static wt_grid_tile first_tile(const wt_gemm_args &args) {
    wt::have_uniform(args.a, args.b, args.a_row, args.b_row, args.m, args.n, args.k, args.k_part,
                     args.grid.by_columns);
    return wt_grid_tile_of(args.grid, wt::workgroup_x());
  }

  // Adds a K step, or what there is of it, from k on: through registers, at any strides and alignment.
  WT_DEVICE void masked_step(accumulators &c, stages &tiles, int k) const {
    const a_reader read_a = a_reader(wave_m).at(wt::lds_address(&tiles.a[0]));
    const b_reader read_b = b_reader(wave_n).at(wt::lds_address(&tiles.b[0]));
    wt::barrier();  // before what others may still read is overwritten
    load_masked<kThreads>(tiles.a[0], a.from(0, k));
    load_masked<kThreads>(tiles.b[0], b.from(0, k));
    wt::barrier();
    wt::unrolled<4>([&](auto quadrant) WT_INLINE {
      constexpr int kI = quadrant / 2, kJ = quadrant % 2;
      a_tile at;
      b_tile bt;
      wt::load(at, read_a.at(kI * sizeof(a_half)));
      wt::load(bt, read_b.at(kJ * sizeof(b_half)));
      wt::mma_ABt(c[kI][kJ], at, bt);
      wt::sched_barrier();  // or the compiler reads the operands of all quadrants first, and spills them
    });
  }

  // Returns whether K are left after the whole steps, and multiplies them.
  WT_DEVICE bool has_rest() const { return a.columns % (kStep * kTogether) != 0; }
  WT_DEVICE void rest(accumulators &c, stages &tiles) const {
    const int left = a.columns % (kStep * kTogether);
    if (left != 0) masked_step(c, tiles, steps * kStep);
    if constexpr (kTogether == 2) {
      if (left > kStep) masked_step(c, tiles, (steps + 1) * kStep);
    }
  }
};

// The kernel of a main loop: Loop is a gemm_frame with main_loop(c, tiles).
template <class Loop>
WT_DEVICE void gemm(const typename Loop::args_type &args) {
  WT_SHARED typename Loop::lds memory;
  Loop loop(args);
  typename Loop::accumulators c;
  loop.main_loop(c, memory.tiles);
  loop.rest(c, memory.tiles);
  store_result(loop, Loop::source::product(args), c, memory.quadrant);
}

// Defines the kernel <stem>_<a>_<b>, entry<Loop<TA, TB, BM, BN, stages>>; `pairs` (gemm_pairs.h) gives the
// types of several.
#define GEMM_KERNEL(entry, Loop, stem, BM, BN, stages, waves_per_simd, a_name, TA, b_name, TB) \
  WT_KERNEL_OF_WAVES((Loop<TA, TB, BM, BN, stages>::kThreads), waves_per_simd)                 \
  stem##_##a_name##_##b_name(wt_gemm_args args) { entry<Loop<TA, TB, BM, BN, stages>>(args); }
#define GEMM_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GEMM_KERNEL, __VA_ARGS__)

#endif
