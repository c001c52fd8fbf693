// SPDX-License-Identifier: MIT
// What surrounds the main loop of a GEMM with block scales: the tiles in LDS and registers, and the K that
// the main loop leaves over.
#ifndef WT_KERNELS_GEMM_MX_FRAME_H
#define WT_KERNELS_GEMM_MX_FRAME_H

#include "../gemm/gemm_epilogue.h"
#include "gemm_mx_scales.h"
#include "gemm_mx_work.h"

inline constexpr int kMxThreads = 4 * wt::target::kWaveLanes;  // of a work-group

// Names the class of gemm_mx_scales.h for the scales of a tile, with none of A where A has none.
template <class TA, class TB, int BM, int BN, template <int, int, int, int> class Scales>
using gemm_mx_scale_path_of =
    Scales<kMxScaleRowsOfA<TA, BM>, kMxScaleRowsOfB<TA, BN, kMxThreads>, kMxStep<TA, TB>, kMxThreads>;

// One work-group of four waves multiplies BM x k by k x BN, as gemm_frame does: LDS holds the tiles of A and
// B in halves, the waves stand 2 x 2, and a wave owns the same part of each quadrant of C.
//
// Scales says how they come (gemm_mx_scales.h).
template <class TA, class TB, int BM, int BN, int Stages, template <int, int, int, int> class Scales>
struct gemm_mx_frame : gemm_mx_work<TA, TB, BM, BN, gemm_mx_scale_path_of<TA, TB, BM, BN, Scales>> {
  static constexpr int kTileM = BM, kTileN = BN;
  static constexpr int kThreads = kMxThreads, kWaves = kThreads / wt::target::kWaveLanes;
  static constexpr int kStages = Stages, kStep = kMxStep<TA, TB>;
  static constexpr bool kHasScalesOfA = kMxHasScales<TA>;
  static constexpr int kScalesOfA = kMxScaleRowsOfA<TA, BM>, kScalesOfB = kMxScaleRowsOfB<TA, BN, kThreads>;
  using scale_path = gemm_mx_scale_path_of<TA, TB, BM, BN, Scales>;
  static constexpr int kTogether = scale_path::kTogether;
  static constexpr wt::row_order kRowOrder = scale_path::kOrder;
  static constexpr bool kThroughRegisters = false;
  static constexpr bool kLeavesScalars = true;

  static constexpr int kFragmentRows = kMxFragmentRows;
  using layout_a = typename scale_path::template layout<TA>;
  using layout_b = typename scale_path::template layout<TB>;
  template <class T, class Layout, int Rows>
  using tile = wt::st<T, Rows, kStep, wt::swizzle_for_layout<T, Layout, kStep>>;
  using a_half = tile<TA, layout_a, BM / 2>;
  using b_half = tile<TB, layout_b, BN / 2>;
  using scale_tile = typename scale_path::tile;
  static constexpr int kScaleStages = 2;
  struct stages {
    tile<TA, layout_a, BM> a[Stages];  // the upper half's rows, then the lower half's
    tile<TB, layout_b, BN> b[Stages];
    scale_tile scales[kScaleStages];
  };
  using staged = gemm_staged<float, BM / 2, BN / 2>;
  union lds {
    stages tiles;
    staged quadrant;
  };

  // These are of a wave's part of a quadrant, and the operands of one K step for it with their scales.
  static constexpr int kWaveM = BM / 4, kWaveN = BN / 4;
  using sum = float;
  using c_tile = wt::rt_ct<float, kWaveM, kWaveN, kFragmentRows>;
  using accumulators = wt::pinned_t<c_tile>[2][2];
  using a_tile = wt::rt<TA, kWaveM, kStep, layout_a>;
  using b_tile = wt::rt<TB, kWaveN, kStep, layout_b>;
  using wide_b_tile = wt::rt_widened<b_tile>;
  // Where A has none, these are not used.
  using scaled_a_tile = __type_pack_element<kHasScalesOfA ? 0 : 1, a_tile, b_tile>;
  using a_scales = typename scale_path::template scales<scaled_a_tile>;
  using b_scales = typename scale_path::template scales<b_tile>;
  using a_reader = wt::lds_reader<a_half, layout_a>;
  using b_reader = wt::lds_reader<b_half, layout_b>;
  using a_scale_reader = typename scale_path::template reader<scaled_a_tile>;
  using b_scale_reader = typename scale_path::template reader<b_tile>;
  using a_copier = gemm_mx_copier<wt::lds_copier<a_half, kWaves>, kRowOrder>;
  using b_copier = gemm_mx_copier<wt::lds_copier<b_half, kWaves>, kRowOrder>;
  using scale_copier = typename scale_path::copier;

  using work = gemm_mx_work<TA, TB, BM, BN, scale_path>;
  using work::a, work::b, work::scale_a, work::scale_b, work::blocks;

  int wave_m, wave_n;  // of this wave in its quadrant

  WT_DEVICE explicit gemm_mx_frame(const wt_gemm_mx_args &args) : work(args) { place_wave(); }
  // Describes a tile of the first member of the batch, with all of K.
  WT_DEVICE gemm_mx_frame(const wt_gemm_mx_args &args, wt_grid_tile at) : work(args, at) { place_wave(); }

  // Returns whether direct copies can move the rows and the scales as they lie.
  WT_DEVICE bool is_fetchable() const {
    static constexpr int kAlignA = wt::is_fp6<TA> ? 4 : 16, kAlignB = wt::is_fp6<TB> ? 4 : 16;
    bool can = a.is_fetchable(BM, kAlignA) && b.is_fetchable(BN, kAlignB) &&
               scale_path::is_fetchable(scale_b, kScalesOfB);
    if constexpr (kHasScalesOfA) can = can && scale_path::is_fetchable(scale_a, kScalesOfA);
    return can;
  }

  // Returns how many blocks at the end of K the main loop leaves to a masked step. Lanes copy 16 bytes at
  // once, and a row with an odd number of blocks of 6-bit elements ends within those of a lane; where rows of
  // both A and B do, neither has the zeros behind its end that the products need.
  static constexpr bool kMayHaveRest = wt::is_fp6<TA> && wt::is_fp6<TB>;
  WT_DEVICE int rest() const {
    static constexpr int kBlocks = kStep / wt::kScaleBlock;
    return kMayHaveRest && blocks % 2 != 0 ? blocks % kBlocks : 0;
  }
  WT_DEVICE bool has_rest() const { return rest() != 0; }

  // Adds what there is of the K step that begins at column k: through registers, at any alignment.
  WT_DEVICE void masked_step(accumulators &c, stages &tiles, int k) const {
    const int block = k / wt::kScaleBlock;
    wt::barrier();  // before what others may still read is overwritten
    wt::load_masked_blocks<kThreads, kRowOrder>(tiles.a[0], a.from_byte(work::template bytes_of<TA>(k)));
    wt::load_masked_blocks<kThreads, kRowOrder>(tiles.b[0], b.from_byte(work::template bytes_of<TB>(k)));
    if constexpr (kHasScalesOfA) scale_path::template load_masked<BM>(tiles.scales[0], 0, scale_a, block);
    scale_path::template load_masked<BN>(tiles.scales[0], kScalesOfA, scale_b, block);
    wt::barrier();
    const a_reader read_a = a_reader(wave_m).at(wt::lds_parts<a_half>(tiles.a[0]));
    const b_reader read_b = b_reader(wave_n).at(wt::lds_parts<b_half>(tiles.b[0]));
    const auto scales = wt::lds_place(tiles.scales[0]).at(scale_path::within_group(k / kStep));
    wt::unrolled<4>([&](auto quadrant) WT_INLINE {
      static constexpr int kI = quadrant / 2, kJ = quadrant % 2;
      a_tile at;
      b_tile bt;
      a_scales sa;
      b_scales sb;
      wt::load(at, read_a.at(kI * sizeof(a_half)));
      wt::load(bt, read_b.at(kJ * sizeof(b_half)));
      issue_all(b_scale_reader(scales, kScalesOfA + kJ * BN / 2 + wave_n).reads(sb));
      if constexpr (kHasScalesOfA) {
        issue_all(a_scale_reader(scales, kI * BM / 2 + wave_m).reads(sa));
        wt::mma_ABt(c[kI][kJ], at, sa, bt, sb);
      } else {
        wt::mma_ABt(c[kI][kJ], at, bt, sb);
      }
      wt::sched_barrier();  // or the compiler reads the operands of all quadrants first, and spills them
    });
    wt::mfma_result_wait();  // as the compiler may move sums behind the last step
  }

 private:
  WT_DEVICE void place_wave() {
    wave_m = wt::wave_id() / 2 * kWaveM;
    wave_n = wt::wave_id() % 2 * kWaveN;
  }
};

#endif
