// SPDX-License-Identifier: MIT
// GEMM with block scales for few rows of A: that of kernels/gemm/gemm_skinny.h, whose waves share K. Scales
// are few, and go from memory to the lanes that multiply with them; A of bf16 has none. Blocks have whole 16
// bytes, so the K that are no whole step are loaded like the others, with zeros for the blocks that do not
// exist.
//
// Where K has fewer steps than a work-group has waves, some would have none. So waves may also stand side by
// side: each has its own columns of B, and all of K or a share of it.
//
// The loop is written by hand for the reason that gemm_skinny.h states: a wave meets no other in it.
// Predicted for M = 16, N = 8192, K = 7168 in MXFP4 on MI355X (wavetile prof --timing only): 68% of the
// waves' time in the loop goes to loads that have not arrived and 23% to loads in front of a full L1 queue;
// HBM is at 65% of what it can do, and the matrix cores are busy for 5% of the loop.
#ifndef WT_KERNELS_GEMM_MX_SKINNY_H
#define WT_KERNELS_GEMM_MX_SKINNY_H

#include "../gemm/gemm_row_lines.h"
#include "../gemm/gemm_wave_sums.h"
#include "gemm_mx_scales.h"
#include "gemm_mx_store.h"
#include "gemm_mx_work.h"

// Brings the scales of an operand tile, K step by K step, from memory to registers. The tile begins at a row
// of the matrix; rows past the end of the matrix read its last row again.
template <class Scales>
struct gemm_mx_lane_scales {
  using layout = typename Scales::layout;
  static_assert(Scales::kWide == 1, "the tile is as wide as a fragment");
  using bytes = __type_pack_element<Scales::kSteps / 2, unsigned char, unsigned short, wt::u32>;

  const unsigned char *step;      // the first row's scales of the step
  wt::u32 offset[Scales::kTall];  // the lane's, for each fragment

  WT_DEVICE gemm_mx_lane_scales(const wt::scale_matrix &matrix, int first_row, int first_block)
      : step(matrix.data + first_block) {
    const int lane = wt::lane_id(), last = matrix.rows - 1;
    wt::unrolled<Scales::kTall>([&](auto i) WT_INLINE {
      const int row = first_row + i * layout::kRows + lane % layout::kRows;
      offset[i] = static_cast<wt::u32>(row < last ? row : last) * static_cast<wt::u32>(matrix.row_bytes) +
                  static_cast<wt::u32>(Scales::block(lane, 0));
    });
  }

  WT_DEVICE void load(Scales &to) const {
    wt::unrolled<Scales::kTall>([&](auto i)
                                    WT_INLINE { to.scale[i][0] = wt::global_load<bytes>(step + offset[i]); });
  }
  // Does the same where only so many blocks exist; the scale of the others is 1.
  WT_DEVICE void load_masked(Scales &to, int blocks) const {
    wt::unrolled<Scales::kTall>([&](auto i) WT_INLINE {
      wt::u32 scales = 0;
      wt::unrolled<Scales::kSteps>([&](auto s) WT_INLINE {
        wt::u32 scale = 127;  // of 1 (OCP Microscaling specification v1.0)
        if (Scales::block(wt::lane_id(), s) < blocks) scale = step[offset[i] + s];
        scales |= scale << (8 * s);
      });
      to.scale[i][0] = scales;
    });
  }
  WT_DEVICE void advance(int blocks) { step += blocks; }
  // Sets to = from, when the loads of `from` are older than all that is in flight.
  WT_DEVICE static void take(Scales &to, const Scales &from) {
    wt::unrolled<Scales::kTall>([&](auto i) WT_INLINE { to.scale[i][0] = wt::moved(from.scale[i][0]); });
  }
};

// All waves together load 256 rows of B in a step, of which a wave has as many as there are columns for it.
// WavesK consecutive waves share K, by default all.
template <class TA, class TB, int BM, int BN, int Waves = 256 / BN, int WavesK = Waves>
struct gemm_mx_skinny : gemm_mx_work<TA, TB, BM, BN, gemm_mx_rows_of_scales<kMxStep<TA, TB>>> {
  static constexpr int kStep = kMxStep<TA, TB>, kStepBlocks = kStep / wt::kScaleBlock;
  using work = gemm_mx_work<TA, TB, BM, BN, gemm_mx_rows_of_scales<kStep>>;
  using work::row, work::column, work::a, work::b, work::scale_a, work::scale_b, work::blocks;
  static constexpr int kWaves = Waves, kWavesN = Waves / WavesK, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kWaveN = BN / kWavesN;  // columns of a wave
  static_assert(Waves % WavesK == 0 && BN % kWavesN == 0,
                "each wave has as many columns: instances.def has another number of waves");
  static constexpr int kFragmentRows = BM < 32 ? 16 : 32;
  template <class T>
  using layout = wt::scaled_operand<T, kStep, kFragmentRows>;
  using a_tile = wt::rt<TA, BM, kStep, layout<TA>>;
  using b_tile = wt::rt<TB, kWaveN, kStep, layout<TB>>;
  static constexpr bool kHasScalesOfA = kMxHasScales<TA>;  // where it has none, a_scales is not used
  using a_scales = wt::rs<__type_pack_element<kHasScalesOfA ? 0 : 1, a_tile, b_tile>>;
  using b_scales = wt::rs<b_tile>;
  using c_tile = wt::rt_ct<float, BM, kWaveN, kFragmentRows>;
  template <class T, int Rows>
  using tile = wt::st<T, Rows, kStep, wt::swizzle_for_layout<T, layout<T>, kStep>>;
  using a_lds = tile<TA, BM>;
  using b_lds = tile<TB, kWaveN>;
  using wave_sums = gemm_wave_sums<float, BM, kWaveN, WavesK, kWavesN>;
  static_assert(wt::puts_to_lds<gemm_row_lines<a_lds>> && wt::puts_to_lds<gemm_row_lines<b_lds>>);
  union lds {
    a_lds a;
    b_lds b;
    typename wave_sums::staged sums;
  };

  using work::work;

  // This wave's steps.
  WT_DEVICE void main_loop(c_tile &c, lds &memory) const {
    const int wave = kWavesN > 1 ? wt::wave_id() % WavesK : wt::wave_id(), steps = blocks / kStepBlocks;
    const int first_column = kWavesN > 1 ? wt::wave_id() / WavesK * kWaveN : 0;
    auto lines_b = lines_of<b_lds>(b, first_column, wave);
    if (wave < steps) issue_all(lines_b.fetches());
    wt::sched_barrier();  // what A needs is computed while B is on its way
    gemm_mx_lane_scales<a_scales> scales_a(scale_a, 0, wave * kStepBlocks);
    gemm_mx_lane_scales<b_scales> scales_b(scale_b, first_column, wave * kStepBlocks);
    auto lines_a = lines_of<a_lds>(a, 0, wave);
    const wt::lds_place<a_lds> a_here(memory.a);
    const wt::lds_place<b_lds> b_here(memory.b);
    const auto read_a = wt::lds_reader<a_lds, layout<TA>>(0).at(a_here);
    const auto read_b = wt::lds_reader<b_lds, layout<TB>>(0).at(b_here);
    a_tile at;
    b_tile bt;
    a_scales sa, next_sa;
    b_scales sb, next_sb;

    // LDS serves a wave in order: B's reads come before A is stored there. Scales are loaded before the tiles
    // of a step, so that the next step, which takes them first, waits for nothing else.
    const auto load_scales = [&] WT_INLINE {
      scales_b.load(next_sb);
      if constexpr (kHasScalesOfA) scales_a.load(next_sa);
    };
    const auto step = [&](auto which) WT_INLINE {
      constexpr gemm_step kWhich = which;
      lines_a.advance(), lines_b.advance();
      scales_a.advance(WavesK * kStepBlocks), scales_b.advance(WavesK * kStepBlocks);
      scales_b.take(sb, next_sb);
      if constexpr (kHasScalesOfA) scales_a.take(sa, next_sa);
      wt::sched_barrier();
      if constexpr (kWhich == gemm_step::more_follow) load_scales();
      wt::sched_barrier();
      issue_all(lines_b.template puts_of<kWhich>(b_here) + read_b.reads(bt));
      wt::sched_barrier();
      issue_all(lines_a.template puts_of<kWhich>(a_here) + read_a.reads(at));
      wt::sched_barrier();
      if constexpr (kHasScalesOfA) {
        wt::mma_ABt(c, at, sa, bt, sb);
      } else {
        wt::mma_ABt(c, at, bt, sb);
      }
      wt::sched_barrier();
    };

    if (wave < steps) {
      load_scales();
      wt::sched_barrier();
      issue_all(lines_a.fetches());
#pragma unroll 1
      for (int next = wave + WavesK; next < steps; next += WavesK)
        step(gemm_step_is<gemm_step::more_follow>{});
      step(gemm_step_is<gemm_step::last>{});
    }

    // The blocks that fill no whole step go to the wave that would have had the next step.
    const int left = blocks - steps * kStepBlocks;
    if (left > 0 && wave == steps % WavesK) {
      scales_b.load_masked(next_sb, left);
      if constexpr (kHasScalesOfA) scales_a.load_masked(next_sa, left);
      lines_b.load_masked(left * kBlockBytes<TB>), lines_a.load_masked(left * kBlockBytes<TA>);
      step(gemm_step_is<gemm_step::last>{});
    }
  }

  // Adds the waves' sums and stores the result.
  WT_DEVICE void finish(const wt_gemm_mx_args &args, const c_tile &c, lds (&memory)[kWaves]) const {
    const gemm_output out(args.gemm);
    // Each kind of C has a loop: a branch in one loop would take about 1% of a small product.
    const auto add = [&](const auto &put) WT_INLINE {
      wave_sums::add(
          c, args.gemm.m - row, [&](int wave) WT_INLINE -> auto & { return memory[wave].sums; },
          [&](auto sums, int r, int n) WT_INLINE { put(sums, row + r, column + n); });
    };
    if (!args.c_scale) return add([&](auto sums, int r, int n) WT_INLINE { out.put(sums, r, n); });
    add([&](auto sums, int r, int n) WT_INLINE {
      if (args.gemm.type_c == WT_KERNEL_F8E4M3) {
        blocks_of<wt::fp8e4m3>::put_four(args, out, sums, r, n);
      } else {
        blocks_of<wt::fp4e2m1>::put_four(args, out, sums, r, n);
      }
    });
  }

 private:
  template <class Q>
  using blocks_of = gemm_mx_blocks<Q, wt::row_order::natural>;
  template <class T>
  static constexpr int kBlockBytes = wt::kScaleBlock * wt::kBits<T> / 8;

  // Returns the lines of a wave's rows from first_row on, which may be past the last one.
  template <class ST>
  WT_DEVICE static gemm_row_lines<ST> lines_of(const gemm_mx_operand &from, int first_row, int wave) {
    static constexpr wt::u32 kPiece = gemm_mx_operand::kPieceBytes,
                             kTogether = gemm_mx_operand::kRowsTogether;
    static_assert(ST::kRowBytes % kPiece == 0);
    const gemm_mx_operand first = from.from_byte(wave * ST::kRowBytes);
    const wt::u32 within = static_cast<wt::u32>(from.within_bytes),
                  pitch = static_cast<wt::u32>(from.pitch_bytes),
                  piece = static_cast<wt::u32>(from.piece_bytes);
    return {first.data, from.rows - first_row,
            WavesK * ST::kRowBytes / gemm_mx_operand::kPieceBytes * from.piece_bytes,
            [=](int r, int byte) WT_INLINE {  // gemm_mx_operand::place, in 32 bits
              const wt::u32 row = static_cast<wt::u32>(first_row + r), at = static_cast<wt::u32>(byte);
              return row * within + row / kTogether * (kTogether * (pitch - within)) + at / kPiece * piece +
                     at % kPiece;
            }};
  }
};

// Defines the kernel `name` (instances.def).
#define GEMM_MX_SKINNY_KERNEL(name, TA, TB, BM, BN, waves, shared) \
  static_assert(gemm_mx_skinny<TA, TB, BM, BN>::kWaves == waves,   \
                "instances.def has another number of waves");      \
  WT_KERNEL_OF_WAVES(64 * waves, shared)                           \
  name(wt_gemm_mx_args args) { gemm_of_few_rows<gemm_mx_skinny<TA, TB, BM, BN>>(args); }

#endif
