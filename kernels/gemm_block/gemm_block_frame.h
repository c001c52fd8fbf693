// SPDX-License-Identifier: MIT
// What surrounds the main loop of a GEMM with F32 scales for blocks of 128: registers and LDS, the product of
// a block with its scales, and the K that the main loop leaves over.
#ifndef WT_KERNELS_GEMM_BLOCK_FRAME_H
#define WT_KERNELS_GEMM_BLOCK_FRAME_H

#include "../gemm/gemm_frame.h"
#include "gemm_block_args.h"
#include "gemm_block_scales.h"

// A K step is one block of 128 columns. LDS holds two of them on gfx950, and one on gfx942, where tiles go
// through registers.
template <class TA, class TB, int BM, int BN, int Waves>
using gemm_block_tiles = gemm_frame<TA, TB, BM, BN, 2, Waves / 2, wt::placement::compiler, 128,
                                    wt::target::kGfx950 ? 2 : kGemmThroughRegisters>;

// The product of a block goes to registers of its own, and from there, times its scales, to the sums. Vector
// instructions reach no AGPRs, so a wave has at most 128 sums for each lane. On gfx950 eight waves make a
// tile of 256 x 256 of them, and small tiles have four waves.
//
// A fragment has 32 rows on gfx950: an MFMA of 32x32x64 does the work of two of 16x16x128 in the same time,
// and reads registers for half of that, in which no vector instruction can be issued. gfx942 reads fewer.
template <class TA, class TB, int BM, int BN, gemm_block_b Of, int Waves>
struct gemm_block_frame : gemm_block_tiles<TA, TB, BM, BN, Waves> {
  using frame = gemm_block_tiles<TA, TB, BM, BN, Waves>;
  using frame::kWaveM, frame::kWaveN, frame::kThreads, frame::kStep;
  using typename frame::a_half, typename frame::b_half, typename frame::staged;
  static_assert(kStep == 128, "a step is a block of 128 columns");
  // Two waves of a work-group on a SIMD take turns: one multiplies, the other applies the scales of a
  // product.
  static constexpr bool kSharesSimd = Waves == 8;
  // Registers hold so many products. With two, a wave multiplies one while it applies the scales of the
  // other. With one, a wave that has the SIMD to itself does so fragment by fragment: a quadrant's vector
  // instructions for a fragment come before the next quadrant's MFMAs that replace it. That needs many
  // fragments.
  static constexpr int kProducts = wt::target::kGfx950 && !kSharesSimd ? 2 : 1;
  static constexpr bool kRowsOfB = Of == gemm_block_b::rows;

  static constexpr int kFragmentRows = wt::target::kGfx950 ? 32 : 16;
  using c_tile = wt::rt_ct<float, kWaveM, kWaveN, kFragmentRows>;
  using accumulators = c_tile[2][2];
  using product = wt::pinned_t<c_tile, wt::register_file::vgpr>;
  using a_tile = wt::rt_a<TA, kWaveM, kStep, kFragmentRows>;
  using b_tile = wt::rt_b<TB, kWaveN, kStep, kFragmentRows>;
  using a_reader = wt::lds_reader<a_half, typename a_tile::layout>;
  using b_reader = wt::lds_reader<b_half, typename b_tile::layout>;

  // The scales of so many steps are fetched together, where there are registers for them. A line of memory
  // has those of 32 steps of one row.
  static constexpr int kScaleSteps = wt::target::kGfx950 && !kSharesSimd ? 4 : 2, kScaleStages = 2;
  using scale_copier =
      gemm_block_scale_copier<BM, BN, Of, kThreads, kScaleSteps,
                              kSharesSimd ? gemm_block_place::computed : gemm_block_place::kept>;
  using scale_reader = gemm_block_scale_reader<c_tile, BM, BN, Of, typename scale_copier::tile>;
  using a_scales = typename scale_reader::a_scales;
  using b_scales = typename scale_reader::b_scales;
  struct stages : frame::stages {
    typename scale_copier::tile scales[kScaleStages];
  };
  union lds {
    stages tiles;
    staged quadrant;
  };

  gemm_block_scales scale_a, scale_b;  // of the tile's rows

  WT_DEVICE explicit gemm_block_frame(const wt_gemm_block_args &args)
      : gemm_block_frame(args, frame::first_tile(args.gemm)) {}
  WT_DEVICE gemm_block_frame(const wt_gemm_block_args &args, wt_grid_tile tile)
      : frame(args.gemm, tile),
        scale_a{args.a_scale + this->row * args.a_scale_row, args.a_scale_row, args.a_scale_block,
                this->a.rows, blocks_of(args)},
        scale_b{args.b_scale + (kRowsOfB ? this->column : this->column / 128) * args.b_scale_row,
                args.b_scale_row, args.b_scale_block, kRowsOfB ? this->b.rows : (this->b.rows + 127) / 128,
                blocks_of(args)} {}
  WT_DEVICE static int blocks_of(const wt_gemm_block_args &args) { return (args.gemm.k + 127) / 128; }

  // Returns the whole K steps, or 0 where the main loop cannot bring rows or scales as they lie.
  WT_DEVICE int whole_steps() const {
    const bool can = this->a.fits_buffer(BM) && this->a.rows_aligned(16) && scale_a.fits_buffer(BM) &&
                     this->b.fits_buffer(BN) && this->b.rows_aligned(16) && scale_b.fits_buffer(BN);
    return can ? this->steps : 0;
  }

  // Returns the MFMAs of a block's product for a quadrant, fragment after fragment: then the first one is
  // complete long before its scales are applied.
  WT_DEVICE static auto multiplies(product &to, const a_tile &a, const b_tile &b) {
    const auto list = wt::mma_ABt_list<wt::addend::zero>(to, a, b);
    return wt::list_of<kMfmas>([list](auto n)
                                   WT_INLINE { list.template issue<n % kDeep * kFragments + n / kDeep>(); });
  }

  // Returns what adds the product, times its scales, to the sums of the quadrant. Between the MFMAs of the
  // next product, these instructions are issued in the shadow of the matrix core.
  //
  // Before are the instructions that surely stand between the last MFMA of the product and this list.
  template <int Before>
  WT_DEVICE static auto applies(c_tile &sums, const product &p, a_scales &a, const b_scales &b) {
    return wt::list_of<c_tile::kElements / kEach>([&](auto n) WT_INLINE {
      if constexpr (n == 0 && !kRowsOfB) {
        for (float &scale : a.of) scale *= a.tile;
      }
      static constexpr int kNops = n * kEach % kPerFragment == 0 ? nops<Before>(n * kEach / kPerFragment) : 0;
      if constexpr (kNops > 16) wt::s_nop<15>();
      if constexpr (kNops > 0) {
        wt::s_nop<(kNops - 1) % 16>();
        wt::sched_barrier();
      }
      wt::unrolled<kEach>([&](auto m) WT_INLINE {
        static constexpr int kElement = n * kEach + m, kOf = kElement / kPerFragment,
                             kAt = kElement % kPerFragment;
        static constexpr int kI = kOf / c_tile::kWide, kJ = kOf % c_tile::kWide;
        float x = p.fragment[kI][kJ][kAt];
        if constexpr (kRowsOfB) x *= b.of[kJ][kAt / 4][kAt % 4];
        x = __builtin_fmaf(x, a.of[kI], sums.fragment[kI][kJ][kAt]);
        wt::forget(x);  // or the compiler makes packed instructions of these, which wait for the matrix core
        sums.fragment[kI][kJ][kAt] = x;
      });
    });
  }

  // Adds what there is of the K step that begins at column k: through registers, at any strides and
  // alignment.
  WT_DEVICE void masked_step(accumulators &c, stages &tiles, int k) const {
    const wt::lds_place<typename scale_copier::tile> scales(tiles.scales[0]);
    wt::barrier();  // before what others may still read is overwritten
    load_masked<kThreads>(tiles.a[0], this->a.from(0, k));
    load_masked<kThreads>(tiles.b[0], this->b.from(0, k));
    scale_copier::put_block(scales, scale_a, scale_b, k / kStep);
    wt::barrier();
    int m = this->wave_m, n = this->wave_n;
    wt::forget(m), wt::forget(n);  // or the loop over masked steps keeps all places in LDS beside the sums
    const a_reader read_a = a_reader(m).at(wt::lds_parts<a_half>(tiles.a[0]));
    const b_reader read_b = b_reader(n).at(wt::lds_parts<b_half>(tiles.b[0]));
    const scale_reader read_scales(scales, m, n);
    wt::unrolled<4>([&](auto quadrant) WT_INLINE {
      static constexpr int kI = quadrant / 2, kJ = quadrant % 2;
      a_tile at;
      b_tile bt;
      a_scales sa;
      b_scales sb;
      product p;
      wt::load(at, read_a.at(kI * sizeof(a_half)));
      wt::load(bt, read_b.at(kJ * sizeof(b_half)));
      issue_all(read_scales.reads_a(sa, kI, kJ, 0));
      if constexpr (kRowsOfB) issue_all(read_scales.reads_b(sb, kJ, 0));
      issue_all(multiplies(p, at, bt));
      wt::mfma_result_wait();
      wt::sched_barrier();
      issue_all(applies<kStates>(c[kI][kJ], p, sa, sb));
      wt::sched_barrier();  // or the compiler reads the operands of all quadrants first, and spills them
    });
  }

 private:
  static constexpr int kFragments = c_tile::kTall * c_tile::kWide, kPerFragment = c_tile::layout::kElements;
  static constexpr int kDeep = kStep / (wt::target::kGfx950 ? 64 : 32);  // MFMAs of a fragment
  static constexpr int kMfmas = kFragments * kDeep;
  // A micro-op works on so many elements.
  static constexpr int kEach = wt::target::kGfx950 ? 2 : kPerFragment;

  // Vector instructions may read a product so many wait states after its last MFMA (CDNA3 ISA, table 37, 4
  // passes; CDNA4 ISA, table 38, 16 passes).
  static constexpr int kStates = wt::target::kGfx950 ? 20 : 7;
  // An MFMA can be issued so many states after the one before it, which are its passes (docs/check.md).
  static constexpr int kPasses = wt::target::kGfx950 ? 16 : 4;
  // Returns the fewest states between the last MFMA of fragment `f` and the first use of it, which is woven
  // into the MFMAs of the next product, or follows all of this one where that is the last. Where vector
  // instructions come before MFMAs, a fragment has the MFMAs of most others between the two.
  static consteval int fewest_between(int f, int before) {
    const int vectors = kPerFragment * (kRowsOfB ? 2 : 1), behind = kSharesSimd ? 0 : vectors / kDeep;
    const int later = kMfmas - (f + 1) * kDeep;  // MFMAs after it
    const int each = behind < kPasses ? kPasses : behind + 1;
    return later * each + behind + before + f * vectors;
  }
  // Returns how many wait states are missing in front of fragment `f`, once those in front of the fragments
  // before it are there.
  template <int Before>
  static consteval int nops(int f) {
    if (kProducts == 1 && !kSharesSimd) return 0;  // its fragments are applied before they are replaced
    int there = 0, missing = 0;
    for (int i = 0; i <= f; ++i) {
      missing = kStates - fewest_between(i, Before) - there;
      if (missing < 0) missing = 0;
      there += missing;
    }
    return missing;
  }
};

#endif
