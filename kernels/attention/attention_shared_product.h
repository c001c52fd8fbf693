// SPDX-License-Identifier: MIT
// This header has a product over what all waves of a work-group have made: C = A^T B, where each wave has
// some rows of A in its registers. The waves exchange A through LDS; B they take from LDS once beforehand,
// and it then remains in registers. Each sums a part of C.
#ifndef WT_KERNELS_ATTENTION_SHARED_PRODUCT_H
#define WT_KERNELS_ATTENTION_SHARED_PRODUCT_H

#include "attention_phases.h"

// This is a product C = A^T B of a work-group. A is K x M, of which each wave has K / Waves consecutive rows;
// B is K x N. A wave sums 32 columns of C; where there are more waves than columns for them, each sums a
// share of k only, and C is the sum of these parts. The product is in kSteps steps, whose operands are read
// one step ahead.
//
// B is in AGPRs and C in VGPRs (tiles/rt_pinned.h): this is for waves that have a SIMD to themselves.
//
// scope: work-group; operands: rt of operand and accumulator; leaves: none; waits: nobody; LDS: a_lds;
// registers: a, b and sum; chips: both
template <class T, int K, int M, int N, int Waves>
struct attention_shared_product {
  using layout = wt::operand<32, 16, 4>;
  static constexpr int kSteps = 2, kAcross = N / 32;  // waves side by side in C
  static_assert(N % 32 == 0 && kAcross <= Waves && Waves % kAcross == 0,
                "the columns of C are dealt out 32 at a time: give each a wave, or several");
  static constexpr int kShare = K * kAcross / Waves, kStep = kShare / kSteps;
  static constexpr int kRowBytes = M * wt::kBits<T> / 8;
  using a_lds = wt::st<T, K, M,
                       wt::solve_row_swizzle<kRowBytes, wt::write_of_fragment<T, layout, kRowBytes>,
                                             wt::read_of_transposed_operand<T, layout, kRowBytes>>>;
  using a_tile = wt::rt<T, M, kStep, layout>;  // A^T
  using b_tile = wt::rt<T, 32, kStep, layout>;
  static constexpr int kSums = M * 32 / wt::target::kWaveLanes;  // of a lane

  a_tile a[kSteps];
  wt::rt_agpr<T, 32, kStep, layout> b[kSteps];  // B^T
  wt::rt_vgpr<wt::f32, M, 32, wt::accumulator<32, 32>> sum;

  // Return the first of the wave's columns of C, and of its rows of A and B.
  WT_DEVICE static int first_column() { return wt::wave_id() % kAcross * 32; }
  WT_DEVICE static wt::u32 first_k() { return static_cast<wt::u32>(wt::wave_id() / kAcross * kShare); }

  // Returns where the wave's rows of A or B begin, as the place of a tile.
  template <class ST>
  WT_DEVICE static wt::lds_place<ST> at_first_k(const ST &all) {
    return wt::lds_place(all).at(first_k() * ST::kRowBytes);
  }

  // Reads the wave's part of B. All of B must be in LDS.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads `all`
  template <wt::swizzle Swizzle>
  WT_DEVICE void take_b(const wt::st<T, K, N, Swizzle> &all) {
    using b_lds = wt::st<T, K, N, Swizzle>;
    const wt::lds_reader_tr<b_lds, b_tile> read(first_column(), at_first_k(all));
    wt::unrolled<kSteps>([&](auto i) WT_INLINE {
      b_tile tile;
      wt::issue_all(read.reads(tile, i * kStep * b_lds::kRowBytes));
      wt::pin(b[i], tile);
    });
  }

  // This is where the waves exchange A, as one of them sees it. It is made once, because addresses cost
  // registers and time.
  struct exchange {
    // Describes what a lane writes at once of its wave's rows of A, which it holds along the lanes.
    using run = wt::registers<T, layout::kRun>;
    static constexpr int kRunsOfFragment = layout::kElements / layout::kRun,
                         kFragments = M / layout::kColumns, kWrites = kFragments * kRunsOfFragment;
    wt::u32 at[kWrites];  // the addresses
    const wt::lds_reader_tr<a_lds, a_tile> read;

    WT_DEVICE explicit exchange(a_lds &memory) : read(0, at_first_k(memory)) {
      const int lane = wt::lane_id(), first = wt::wave_id() * (K / Waves);
      wt::unrolled<kWrites>([&](auto n) WT_INLINE {
        static constexpr int kElement = n % kRunsOfFragment * layout::kRun;
        const int column = n / kRunsOfFragment * layout::kColumns + layout::column(lane, kElement);
        at[n] =
            wt::lds_place(memory).address + static_cast<wt::u32>(wt::swizzled<a_lds::kSwizzle>(
                                                a_lds::linear(first + layout::row(lane, kElement), column)));
        wt::forget(at[n]);
      });
    }

    // Returns the writes of the wave's rows of A, which are held with their rows along the lanes, side by
    // side. Barriers must come before them, when all waves have read the last A, and after them. Where there
    // are several A in LDS, one behind the other, Stage says which one it is.
    //
    // leaves: lgkmcnt; waits: caller; LDS: writes a_lds
    template <int Stage = 0, class Tile, int Parts>
    WT_DEVICE auto writes(const Tile (&rows)[Parts]) const {
      static_assert(Tile::kRows == 32 && Parts * Tile::kWide == kFragments,
                    "the parts are side by side as wide as A: give 32 rows of all M columns");
      static constexpr int kBehind = Stage * static_cast<int>(sizeof(a_lds));
      return wt::list_of<kWrites>([this, &rows](auto n) WT_INLINE {
        static constexpr int kFragment = n / kRunsOfFragment, kFirst = n % kRunsOfFragment * layout::kRun;
        const auto &fragment = rows[kFragment / Tile::kWide].fragment[0][kFragment % Tile::kWide];
        wt::ds_write(at[n], wt::vector_part<run, kFirst>(fragment), kBehind);
      });
    }
    template <int Stage = 0, class Tile, int Parts>
    WT_DEVICE void write(const Tile (&rows)[Parts]) const {
      wt::issue_all(writes<Stage>(rows));
    }
  };

  // Returns the reads for step Step.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads a_lds
  template <int Step = 0, int Stage = 0>
  WT_DEVICE auto reads(const exchange &from) {
    const auto all =
        from.read.reads(a[Step], Stage * static_cast<int>(sizeof(a_lds)) + Step * kStep * a_lds::kRowBytes);
    return attention_column_by_column<a_tile>(all);
  }
  // Returns the MFMAs of step Step.
  //
  // leaves: none; waits: compiler; LDS: none
  template <int Step>
  WT_DEVICE auto products() {
    wt::settle_transposed(a[Step]);
    return wt::mma_ABt_list<Step == 0 ? wt::addend::zero : wt::addend::accumulator>(sum, a[Step], b[Step]);
  }
  // Computes C = A^T B, when step 0 has been read: each step has the reads of the next one between its MFMAs.
  //
  // leaves: none; waits: compiler; LDS: reads a_lds
  template <int Stage = 0>
  WT_DEVICE void multiply(const exchange &from) {
    const auto nothing = wt::list_of<0>(wt::no_micro_ops{});
    attention_run_phases<0, kSteps>([this](auto step) WT_INLINE { return this->template products<step>(); },
                                    nothing,
                                    [this, &from, nothing](auto step) WT_INLINE {
                                      if constexpr (step < kSteps) {
                                        return this->template reads<step, Stage>(from);
                                      } else {
                                        return nothing;
                                      }
                                    });
  }

  // Adds the wave's part to C in global memory, whose rows have N elements, by kSums atomic additions.
  //
  // leaves: vmcnt; waits: nobody; LDS: none
  WT_DEVICE void add_to(wt::f32 *c) {
    static constexpr int kRow = N * static_cast<int>(sizeof(wt::f32));
    wt::atomic_add<kRow>(wt::make_buffer(c, M * kRow), wt::release(sum), first_column());
  }
};

#endif
