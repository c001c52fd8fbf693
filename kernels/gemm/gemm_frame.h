// SPDX-License-Identifier: MIT
// What the tiled GEMM kernels share around their main loops: which tile of C a work-group computes, how it is
// divided among the waves, and the K steps that the main loop leaves over.
#ifndef WT_KERNELS_GEMM_FRAME_H
#define WT_KERNELS_GEMM_FRAME_H

#include "gemm_epilogue.h"
#include "gemm_pairs.h"

// Says where a step of K with masks is: anywhere, or after whole steps of operands that have been copied.
enum class gemm_rest { anywhere, after_steps };

// A stretch of K has a first k, and so many of them.
struct gemm_stretch {
  int first, count;
};

// Says how an operand lies in memory: which of its elements are next to each other.
enum class gemm_order { k_contiguous, rows_contiguous, other };

// The rows of A or B, where they come from and how they lie there: those of a matrix in memory.
// kernels/conv/conv_pixels.h has another source of A, gemm_transposed.h matrices whose rows are contiguous.
//   args      of the kernel, which contain those of the product
//   operand   A or B as a work-group sees it: rows, columns, from(row, k), memory_of and load_masked
//   copier    fills halves of tiles from it (ops/brings_to_lds.h): made of the operand and the half's first
//             row, and of a copier of the library where the operand is not a matrix in memory
//   kOrder    how it lies in memory and in LDS: k_contiguous or rows_contiguous
//   of_b      the operand where it is B and not a matrix in memory
//   kLeavesScalars   whether it leaves scalar registers for an early store (gemm_early_store.h)
template <class T, gemm_order Order = gemm_order::k_contiguous>
struct gemm_rows {
  static constexpr gemm_order kOrder = Order;
  static constexpr bool kLeavesScalars = true;
  using args = wt_gemm_args;
  using operand = wt::gl<const T>;
  template <class Copier>
  using copier = Copier;

  WT_DEVICE static const wt_gemm_args &product(const args &all) { return all; }
  // Returns the A of a member of the batch, up to column `columns`.
  WT_DEVICE static operand of(const args &all, int batch, int columns) {
    return {static_cast<const T *>(all.a) + batch * all.a_batch, all.a_row, all.a_col, all.m, columns};
  }
};

// Describes a tile of Rows rows of an operand in LDS, a K step deep, its halves, and what reads register
// tiles of type Tile from them. This is that of k_contiguous: k lies along the rows of the LDS tile.
template <gemm_order Order, class T, int Rows, int Step, wt::swizzle Swizzle, class Tile>
struct gemm_lds_tile {
  using half = wt::st<T, Rows / 2, Step, Swizzle>;
  using whole = wt::st<T, Rows, Step, Swizzle>;  // the upper half's rows, then the lower half's
  using reader = wt::lds_reader<half, typename Tile::layout>;
};

// Says, as the number of stages of a tile in LDS, that it goes there through registers.
inline constexpr int kGemmThroughRegisters = 1;

// One work-group multiplies BM x k by k x BN. LDS holds tiles in halves of the rows, so that one half can be
// refilled while the other is read. The waves stand WavesM x WavesN, and a wave owns the same part of each of
// the four quadrants of C.
//   Placement  of the accumulators in registers (tiles/rt_pinned.h).
//   StepBytes  the bytes along K that one step multiplies. Two stages of 256 x 256 just fit both chips' LDS
//              with the default: 128, or 64 where LDS is small.
//   Stages     how many tiles of each operand LDS holds; main loops have at least as many steps. Or
//              kGemmThroughRegisters: LDS holds one, and registers the next steps. Main loops then have at
//              least two, and a multiple of kTogether.
//   Swizzle    the swizzle of the tiles in LDS that have k along their rows.
//   Source     where A's rows come from.
//   SourceB    where B's rows come from.
inline constexpr int kStepBytesOfChip = wt::target::kGfx950 ? 128 : 64;
template <class TA, class TB, int BM, int BN, int WavesM, int WavesN, wt::placement Placement,
          int StepBytes = kStepBytesOfChip, int Stages = 2,
          wt::swizzle Swizzle = wt::swizzle_for_row<StepBytes>, class Source = gemm_rows<TA>,
          class SourceB = gemm_rows<TB>>
struct gemm_frame {
  using source = Source;
  static constexpr bool kIsTransposed =
      Source::kOrder == gemm_order::rows_contiguous || SourceB::kOrder == gemm_order::rows_contiguous;
  static constexpr bool kLeavesScalars = Source::kLeavesScalars;
  using args_type = typename Source::args;
  static constexpr int kTileM = BM, kTileN = BN;
  static constexpr int kWaves = WavesM * WavesN, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kStepBytes = StepBytes, kStages = Stages;
  static constexpr int kStep = kStepBytes * 8 / wt::kBits<TA>;
  static constexpr wt::swizzle kSwizzle = Swizzle;
  // These are of a wave's part of a quadrant, and the operands of one K step for it.
  static constexpr int kWaveM = BM / 2 / WavesM, kWaveN = BN / 2 / WavesN;
  using sum = wt::sum_t<TA>;
  using c_tile = wt::rt_ct<sum, kWaveM, kWaveN>;
  using accumulators = wt::placed_t<Placement, c_tile>[2][2];
  using a_tile = wt::rt_a<TA, kWaveM, kStep>;
  using b_tile = wt::rt_b<TB, kWaveN, kStep>;
  using a_lds = gemm_lds_tile<Source::kOrder, TA, BM, kStep, kSwizzle, a_tile>;
  using b_lds = gemm_lds_tile<SourceB::kOrder, TB, BN, kStep, kSwizzle, b_tile>;
  using a_half = typename a_lds::half;
  using b_half = typename b_lds::half;
  using a_reader = typename a_lds::reader;
  using b_reader = typename b_lds::reader;
  struct stages {
    typename a_lds::whole a[Stages];
    typename b_lds::whole b[Stages];
  };
  using staged = gemm_staged<sum, BM / 2, BN / 2>;
  union lds {
    stages tiles;
    staged quadrant;
  };

  static constexpr bool kThroughRegisters = Stages == kGemmThroughRegisters;
  template <class Half>
  using copier_of = __type_pack_element<kThroughRegisters ? 1 : 0, wt::lds_copier<Half, kWaves>,
                                        wt::register_copier<Half, kWaves>>;
  // So many K steps are loaded together: those in a line of L2 (ops/register_copier.h).
  static constexpr int kTogether = kThroughRegisters && StepBytes < 128 ? 128 / StepBytes : 1;
  static constexpr int kLeastSteps = kThroughRegisters ? 2 : Stages;  // that main loops have
  using a_copier = typename Source::template copier<copier_of<a_half>>;
  using b_copier = typename SourceB::template copier<copier_of<b_half>>;

  int row, column;             // of C, where the work-group's tile begins
  int wave_m, wave_n;          // of this wave in its quadrant
  typename Source::operand a;  // from the tile's first row and the part's first k on
  typename SourceB::operand b;
  int steps;  // whole K steps, for the main loop: a multiple of kTogether

  WT_DEVICE explicit gemm_frame(const args_type &all) : gemm_frame(all, first_tile(Source::product(all))) {}
  WT_DEVICE gemm_frame(const args_type &all, wt_grid_tile tile)
      : gemm_frame(all, tile, part_of(Source::product(all))) {}
  WT_DEVICE gemm_frame(const args_type &all, wt_grid_tile tile, gemm_stretch of_k) {
    const int batch = wt::workgroup_z(), end = of_k.first + of_k.count;
    row = tile.m * BM, column = tile.n * BN;
    wave_m = wt::wave_id() / WavesN * kWaveM, wave_n = wt::wave_id() % WavesN * kWaveN;
    a = Source::of(all, batch, end).from(row, of_k.first);
    b = all_of_b(all, batch, end).from(column, of_k.first);
    steps = (of_k.count - kept_back()) / (kStep * kTogether) * kTogether;
  }

  // Returns the part of K that is the work-group's.
  WT_DEVICE static gemm_stretch part_of(const wt_gemm_args &args) {
    const int first = wt::workgroup_y() * args.k_part, left = args.k - first;
    return {first, left < args.k_part ? left : args.k_part};
  }

  // Returns the only tile of a work-group. What it is loaded from comes with what says which it is.
  WT_DEVICE static wt_grid_tile first_tile(const wt_gemm_args &args) {
    constexpr gemm_order kK = gemm_order::k_contiguous;
    wt::have_uniform(args.a, args.b, Source::kOrder == kK ? args.a_row : args.a_col,
                     SourceB::kOrder == kK ? args.b_row : args.b_col, args.m, args.n, args.k, args.k_part,
                     args.grid.by_columns);
    return wt_grid_tile_of(args.grid, wt::workgroup_x());
  }

  // Adds a K step, or what there is of it, from k on: through registers, at any strides and alignment.
  template <gemm_rest Rest = gemm_rest::anywhere>
  WT_DEVICE void masked_step(accumulators &c, stages &tiles, int k) const {
    const a_reader read_a = a_reader(wave_m).at(wt::lds_parts<a_half>(tiles.a[0]));
    const b_reader read_b = b_reader(wave_n).at(wt::lds_parts<b_half>(tiles.b[0]));
    wt::barrier();  // before what others may still read is overwritten
    fill<Rest>(tiles.a[0], a.from(0, k));
    fill<Rest>(tiles.b[0], b.from(0, k));
    wt::barrier();
    wt::unrolled<4>([&](auto quadrant) WT_INLINE {
      static constexpr int kI = quadrant / 2, kJ = quadrant % 2;
      a_tile at;
      b_tile bt;
      issue_all(read_a.at(kI * sizeof(a_half)).reads(at));
      issue_all(read_b.at(kJ * sizeof(b_half)).reads(bt));
      wt::mma_ABt(c[kI][kJ], at, bt);
      wt::sched_barrier();  // or the compiler reads the operands of all quadrants first, and spills them
    });
  }

  // Returns whether K are left after the whole steps, and multiplies them.
  WT_DEVICE bool has_rest() const { return left_over() != 0; }
  WT_DEVICE void rest(accumulators &c, stages &tiles) const {
    // Eight waves leave no registers for all loads of a step at once.
    constexpr gemm_rest kRest = kWaves > 4 ? gemm_rest::anywhere : gemm_rest::after_steps;
    const int left = left_over();
    if (left != 0) masked_step<kRest>(c, tiles, steps * kStep);
    if constexpr (kTogether == 2) {
      if (left > kStep) masked_step<kRest>(c, tiles, (steps + 1) * kStep);
    }
  }

 private:
  // Returns the B of a member of the batch, up to column `columns`: a matrix in memory, if its source does
  // not say what else.
  WT_DEVICE static typename SourceB::operand all_of_b(const args_type &all, int batch, int columns) {
    if constexpr (requires { SourceB::of_b(all, batch, columns); }) {
      return SourceB::of_b(all, batch, columns);
    } else {
      const wt_gemm_args &args = Source::product(all);
      return {wt::gl<const TB>{static_cast<const TB *>(args.b) + batch * args.b_batch, args.b_row, args.b_col,
                               args.n, columns}};
    }
  }
  template <gemm_rest Rest, class Tile, class Operand>
  WT_DEVICE static void fill(Tile &to, const Operand &from) {
    if constexpr (Rest == gemm_rest::after_steps && requires { wt::load_row_ends<kThreads>(to, from); }) {
      wt::load_row_ends<kThreads>(to, from);
    } else {
      load_masked<kThreads>(to, from);
    }
  }
  // The K that the main loop leaves over.
  WT_DEVICE int left_over() const {
    if constexpr (kIsTransposed) {
      return a.columns - steps * kStep;
    } else {
      return a.columns % (kStep * kTogether);
    }
  }
  // 1 when the main loop must leave the last k to masked loads, else 0: copies of an operand whose rows are
  // contiguous would go past its last element.
  WT_DEVICE int kept_back() const {
    bool any = false;
    if constexpr (Source::kOrder == gemm_order::rows_contiguous) any = any || a.overreaches(BM);
    if constexpr (SourceB::kOrder == gemm_order::rows_contiguous) any = any || b.overreaches(BN);
    return any ? 1 : 0;
  }
};

// Runs the kernel of a main loop: Loop is a gemm_frame with main_loop(c, tiles).
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
