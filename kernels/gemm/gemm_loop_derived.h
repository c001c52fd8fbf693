// SPDX-License-Identifier: MIT
// The main loop of the GEMMs whose waits and barriers are derived: what the ops of a schedule are on the
// tiles of a gemm_frame. gemm_4wave_derived.h and gemm_8wave_derived.h give the schedules.
#ifndef WT_KERNELS_GEMM_LOOP_DERIVED_H
#define WT_KERNELS_GEMM_LOOP_DERIVED_H

#include "gemm_frame.h"
#include "sched/pipeline.h"

// The numbers in the schedules. Buffers are the halves of A and B. Fragments are a0, a1, b0, b1; sums are the
// quadrants of C, row by row.
enum : int { kA0, kA1, kB0, kB1 };

// Frame: a gemm_frame. FragmentsA: 2, or 1 when a0 serves both halves of A.
template <class Frame, auto Schedule, int FragmentsA>
struct gemm_loop_derived : Frame {
  using typename Frame::a_half, typename Frame::b_half;
  static_assert(wt::sched::least_steps<Schedule> <= 2, "the frame's main loops have 2 steps or more");

  WT_DEVICE explicit gemm_loop_derived(const wt_gemm_args &args) : Frame(args) {}

  WT_DEVICE void main_loop(typename Frame::accumulators &c, typename Frame::stages &tiles) const {
    const wt::buffer from_a = wt::memory_of(this->a, Frame::kTileM);
    const wt::buffer from_b = wt::memory_of(this->b, Frame::kTileN);
    const int stride_a = this->a.row_bytes(), stride_b = this->b.row_bytes();
    const typename Frame::a_copier copy_a[2] = {{stride_a, 0, this->a.rows},
                                                {stride_a, Frame::kTileM / 2, this->a.rows}};
    const typename Frame::b_copier copy_b[2] = {{stride_b, 0, this->b.rows},
                                                {stride_b, Frame::kTileN / 2, this->b.rows}};
    const wt::u32 lds_a = wt::lds_address(&tiles.a), lds_b = wt::lds_address(&tiles.b);
    const typename Frame::a_reader read_a = typename Frame::a_reader(this->wave_m).at(lds_a);
    const typename Frame::b_reader read_b = typename Frame::b_reader(this->wave_n).at(lds_b);
    typename Frame::a_tile a[FragmentsA];
    typename Frame::b_tile b[2];

    const auto copies = [&](auto op, int step, wt::u32 stage) WT_INLINE {
      constexpr int kHalf = op.value.buffer % 2;
      const int advance = step * Frame::kStepBytes;
      if constexpr (op.value.buffer < kB0) {
        return copy_a[kHalf].copies(from_a, advance, lds_a + (2 * stage + kHalf) * sizeof(a_half));
      } else {
        return copy_b[kHalf].copies(from_b, advance, lds_b + (2 * stage + kHalf) * sizeof(b_half));
      }
    };
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      constexpr int kHalf = op.value.buffer % 2;
      if constexpr (op.value.buffer < kB0) {
        return read_a.at((2 * stage + kHalf) * sizeof(a_half)).reads(a[op.value.fragment - kA0]);
      } else {
        return read_b.at((2 * stage + kHalf) * sizeof(b_half)).reads(b[op.value.fragment - kB0]);
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      return mma_ABt_list(c[op.value.sum / 2][op.value.sum % 2], a[op.value.a.fragment - kA0],
                          b[op.value.b.fragment - kB0]);
    };
    wt::sched::run<Schedule>(this->steps, copies, reads, multiplies);
  }
};

// The events of ops on the tiles of a frame.
template <class Frame>
struct gemm_events {
  template <class Tile, class Reader>
  static constexpr int reads = Tile::kTall *Tile::kWide *Reader::kReads;
  static constexpr int kCopyA = Frame::a_copier::kCopies, kCopyB = Frame::b_copier::kCopies;
  static constexpr int kReadA = reads<typename Frame::a_tile, typename Frame::a_reader>;
  static constexpr int kReadB = reads<typename Frame::b_tile, typename Frame::b_reader>;
};

#endif
