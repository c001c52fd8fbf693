// SPDX-License-Identifier: MIT
// Multiplies for few rows of C, where the bytes of B limit it, or for few columns, where those of A do; each
// work-group reads them once. Its waves take K steps by turns, each for the whole tile of C, and do not meet
// until their sums are added up in LDS, in the order of the waves. The narrower the tile, the more waves
// share K: B of few columns then occupies all compute units without a split of K, whose reduction would be a
// launch of its own. C has one row of tiles or one column, in the order of the work-groups.
//
// MFMA operands have a row for each lane. Loaded as such, every look-up of L1 would serve 16 bytes; so a wave
// loads rows, whole lines of memory, and LDS makes operands of them. It makes no direct copies: registers
// forgive unaligned rows (see global_load) and move 16 bytes per lane on both chips, and what waits in them
// takes no LDS, of which two work-groups shall find enough.
//
// A step of each wave is in flight, 40 KB or more, for every register is loaded again as soon as LDS has what
// it held. L1 takes no more than 32 KB at once (ROCm, gfx950-gluon-tutorials, docs/tcp_bound_tile_model.md),
// so one work-group fills it; where there is another, its loop hides the first one's beginning and end.
//
// The K that are no whole step are loaded with masks, by one wave.
//
// The loop is written by hand. Waves share no LDS in it, so there is no other wave to wait for and no barrier
// to place, and the compiler waits for the registers of each load: a schedule would have nothing to derive.
// Predicted for M = 16, N = 4096, K = 7168 in BF16 on MI355X (wavetile prof --timing only): 49% of the waves'
// time in the loop goes to loads that have not arrived and 42% to loads in front of a full L1 queue; HBM is
// at 73% of what it can do, and the matrix cores are busy for 4% of the loop.
#ifndef WT_KERNELS_GEMM_SKINNY_H
#define WT_KERNELS_GEMM_SKINNY_H

#include "gemm_frame.h"
#include "gemm_row_lines.h"
#include "gemm_wave_sums.h"
#include "ops/row_reader.h"

template <class TA, class TB, int BM, int BN, int Stages>
struct gemm_skinny {
  static_assert(Stages == 1, "LDS holds one step of each wave; the next one is in registers");
  // All waves together load 256 rows of B in a step, 32 KB; instances.def has the same number as waves_k.
  static constexpr int kWaves = 256 / BN, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kStepBytes = 128, kStep = kStepBytes * 8 / wt::kBits<TA>;
  static constexpr int kIterationBytes = kWaves * kStepBytes;  // from a wave's step to its next
  using sum = wt::sum_t<TA>;
  using a_tile = wt::rt_a<TA, BM, kStep>;
  using b_tile = wt::rt_b<TB, BN, kStep>;
  using c_tile = wt::rt_ct<sum, BM, BN>;
  static constexpr wt::swizzle kSwizzle = wt::swizzle_for_row<kStepBytes>;
  using a_lds = wt::st<TA, BM, kStep, kSwizzle>;
  using b_lds = wt::st<TB, BN, kStep, kSwizzle>;
  using wave_sums = gemm_wave_sums<sum, BM, BN, kWaves>;
  static_assert(wt::puts_to_lds<gemm_row_lines<a_lds>> && wt::puts_to_lds<gemm_row_lines<b_lds>>);
  union lds {
    a_lds a;
    b_lds b;
    typename wave_sums::staged sums;
  };

  int row, column;     // of C, where the work-group's tile begins
  wt::gl<const TA> a;  // from the tile's first row and the part's first k on
  wt::gl<const TB> b;

  WT_DEVICE explicit gemm_skinny(const wt_gemm_args &args) : gemm_skinny(args, tile_of(args)) {}
  // Returns that of any tile of C.
  WT_DEVICE gemm_skinny(const wt_gemm_args &args, wt_grid_tile at) {
    load_what_places(args);
    const int part = wt::workgroup_y(), batch = wt::workgroup_z();
    row = at.m * BM, column = at.n * BN;
    const int k0 = part * args.k_part, left = args.k - k0, k = left < args.k_part ? left : args.k_part;
    a = wt::row_major(static_cast<const TA *>(args.a) + batch * args.a_batch, args.m, k0 + k, args.a_row);
    b = wt::row_major(static_cast<const TB *>(args.b) + batch * args.b_batch, args.n, k0 + k, args.b_row);
    a = a.from(row, k0), b = b.from(column, k0);
  }

  // This wave's steps.
  WT_DEVICE void main_loop(c_tile &c, lds &memory) const {
    const int wave = wt::wave_id(), steps = a.columns / kStep;
    auto lines_a = lines_of<a_lds>(a.from(0, wave * kStep));
    auto lines_b = lines_of<b_lds>(b.from(0, wave * kStep));
    const wt::lds_place<a_lds> a_here(memory.a);
    const wt::lds_place<b_lds> b_here(memory.b);
    const auto read_a = wt::lds_reader<a_lds, typename a_tile::layout>(0).at(a_here);
    const auto read_b = wt::lds_reader<b_lds, typename b_tile::layout>(0).at(b_here);
    a_tile at;
    b_tile bt;

    const auto multiply = [&] WT_INLINE {
      wt::mma_ABt(c, at, bt);
      wt::sched_barrier();
    };
    // LDS serves a wave in order: B's reads come before A is stored there.
    const auto step = [&](auto which) WT_INLINE {
      constexpr gemm_step kWhich = which;
      lines_a.advance(), lines_b.advance();
      issue_all(lines_b.template puts_of<kWhich>(b_here) + read_b.reads(bt));
      wt::sched_barrier();
      issue_all(lines_a.template puts_of<kWhich>(a_here) + read_a.reads(at));
      wt::sched_barrier();
      multiply();
    };

    if (wave < steps) {
      issue_all(lines_b.fetches() + lines_a.fetches());
#pragma unroll 1
      for (int next = wave + kWaves; next < steps; next += kWaves)
        step(gemm_step_is<gemm_step::more_follow>{});
      step(gemm_step_is<gemm_step::last>{});
    }

    // The K that fill no whole step go to the wave that would have had the next step.
    const int k = steps * kStep;
    if (k < a.columns && wave == steps % kWaves) {
      wt::row_reader<a_tile>(a.from(0, k)).load_masked(at, a.columns - k, k);
      wt::row_reader<b_tile>(b.from(0, k)).load_masked(bt, b.columns - k, k);
      multiply();
    }
  }

  // Adds the waves' sums and stores the result.
  WT_DEVICE void finish(const wt_gemm_args &args, const c_tile &c, lds (&memory)[kWaves]) const {
    const gemm_output out(args);
    wave_sums::add(
        c, BM, [&](int wave) WT_INLINE -> auto & { return memory[wave].sums; },
        [&](auto sums, int r, int n) WT_INLINE { out.put(sums, row + r, column + n); });
  }

 private:
  // What says where the work-group's operands are is loaded together, as it is waited for once.
  WT_DEVICE static void load_what_places(const wt_gemm_args &args) {
    wt::have_uniform(args.a, args.b, args.m, args.n, args.k, args.k_part, args.a_row, args.b_row,
                     args.a_batch, args.b_batch);
  }
  // Returns the work-group's tile of a column of tiles where there is more than one row of them, else of a
  // row.
  WT_DEVICE static wt_grid_tile tile_of(const wt_gemm_args &args) {
    load_what_places(args);
    const int x = wt::workgroup_x();
    return args.m > BM ? wt_grid_tile{x, 0} : wt_grid_tile{0, x};
  }
  template <class ST>
  WT_DEVICE static gemm_row_lines<ST> lines_of(const wt::gl<const typename ST::element> &from) {
    const wt::u32 row_bytes = from.row_bytes();
    return {from.data, from.rows, kIterationBytes, [&](int r, int byte) WT_INLINE {
              return static_cast<wt::u32>(r) * row_bytes + static_cast<wt::u32>(byte);
            }};
  }
};

#define GEMM_SKINNY_KERNELS(pairs, ...) GEMM_KERNELS(pairs, gemm_of_few_rows, gemm_skinny, __VA_ARGS__)

#endif
