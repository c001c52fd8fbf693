// SPDX-License-Identifier: MIT
// The main loop of the GEMMs whose waits and barriers are derived. It says what the ops of a schedule do to
// the tiles of a gemm_frame; gemm_4wave_derived.h and gemm_8wave_derived.h hold the schedules.
#ifndef WT_KERNELS_GEMM_LOOP_DERIVED_H
#define WT_KERNELS_GEMM_LOOP_DERIVED_H

#include "gemm_paths.h"
#include "sched/pipeline.h"

// The numbers that stand in the schedules. Buffers are the halves of A and B, fragments are a0, a1, b0 and
// b1, and sums are the quadrants of C, row by row.
enum : int { kA0, kA1, kB0, kB1 };

// Frame is a gemm_frame. FragmentsA is 2, or 1 when fragment a0 serves both halves of A.
template <class Frame, auto Schedule, int FragmentsA>
struct gemm_loop_derived : Frame {
  static_assert(wt::sched::least_steps<Schedule> <= Frame::kStages,
                "the frame's main loops have no more steps than stages: give it more");

  WT_DEVICE explicit gemm_loop_derived(const wt_gemm_args &args) : Frame(args) {}

  WT_DEVICE void main_loop(typename Frame::accumulators &c, typename Frame::stages &tiles) const {
    gemm_paths<Frame> paths(*this, tiles);
    typename Frame::a_tile a[FragmentsA];
    typename Frame::b_tile b[2];

    const auto copies = [&](auto op, int step, wt::u32 stage) WT_INLINE {
      constexpr int kHalf = op.value.buffer % 2;
      const int advance = step * Frame::kStepBytes;
      if constexpr (op.value.buffer < kB0) {
        return paths.a_copies(wt::index<0>{}, stage, kHalf, advance);
      } else {
        return paths.b_copies(wt::index<0>{}, stage, kHalf, advance);
      }
    };
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      constexpr int kHalf = op.value.buffer % 2;
      if constexpr (op.value.buffer < kB0) {
        return paths.a_reads(a[op.value.fragment - kA0], stage, kHalf);
      } else {
        return paths.b_reads(b[op.value.fragment - kB0], stage, kHalf);
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      return mma_ABt_list(c[op.value.sum / 2][op.value.sum % 2], a[op.value.a.fragment - kA0],
                          b[op.value.b.fragment - kB0]);
    };
    const auto iteration = [&]() WT_INLINE { paths.forget_places(); };
    wt::sched::run<Schedule>(this->steps, copies, reads, multiplies, iteration);
  }
};

// How many instructions an op on the tiles of a frame issues: LDS reads or direct copies per wave.
template <class Frame>
struct gemm_events {
  template <class Tile, class Reader>
  static constexpr int reads = Tile::kTall * Tile::kWide * Reader::kReads;
  static constexpr int kCopyA = Frame::a_copier::kCopies, kCopyB = Frame::b_copier::kCopies;
  static constexpr int kReadA = reads<typename Frame::a_tile, typename Frame::a_reader>;
  static constexpr int kReadB = reads<typename Frame::b_tile, typename Frame::b_reader>;
};

#endif
