// SPDX-License-Identifier: MIT
// The ways of A and B in the main loops of the tiled GEMM kernels: by direct copies from memory to LDS, half
// by half, and by reads from there into registers.
#ifndef WT_KERNELS_GEMM_WAYS_H
#define WT_KERNELS_GEMM_WAYS_H

#include "gemm_frame.h"

// Frame: a gemm_frame. Its stages are numbered from 0 on, and so are the two halves of a stage's tiles.
template <class Frame>
struct gemm_ways {
  using a_half = typename Frame::a_half;
  using b_half = typename Frame::b_half;

  wt::buffer from_a, from_b;
  typename Frame::a_copier copy_a[2];  // of each half
  typename Frame::b_copier copy_b[2];
  wt::u32 lds_a, lds_b;
  typename Frame::a_reader read_a;
  typename Frame::b_reader read_b;

  WT_DEVICE gemm_ways(const Frame &frame, typename Frame::stages &tiles)
      : from_a(wt::memory_of(frame.a, Frame::kTileM)),
        from_b(wt::memory_of(frame.b, Frame::kTileN)),
        copy_a{{frame.a.row_bytes(), 0, frame.a.rows},
               {frame.a.row_bytes(), Frame::kTileM / 2, frame.a.rows}},
        copy_b{{frame.b.row_bytes(), 0, frame.b.rows},
               {frame.b.row_bytes(), Frame::kTileN / 2, frame.b.rows}},
        lds_a(wt::lds_address(&tiles.a)),
        lds_b(wt::lds_address(&tiles.b)),
        read_a(typename Frame::a_reader(frame.wave_m).at(lds_a)),
        read_b(typename Frame::b_reader(frame.wave_n).at(lds_b)) {}

  // In each turn of a loop that copies to both stages, against more LDS addresses being kept from turn to
  // turn than there are scalar registers.
  WT_DEVICE void forget_places() {
    if constexpr (2 * Frame::kStages * (Frame::a_copier::kCopies + Frame::b_copier::kCopies) > 32) {
      for (int half = 0; half < 2; ++half) copy_a[half].forget_place(), copy_b[half].forget_place();
    }
  }

  // Copies a half of the K step that begins `advance` bytes after the frame's first to a stage.
  WT_DEVICE auto a_copies(wt::u32 stage, int half, int advance) const {
    return copy_a[half].copies(from_a, advance, lds_a + (2 * stage + half) * sizeof(a_half));
  }
  WT_DEVICE auto b_copies(wt::u32 stage, int half, int advance) const {
    return copy_b[half].copies(from_b, advance, lds_b + (2 * stage + half) * sizeof(b_half));
  }

  // Reads the wave's operands from a half of a stage.
  WT_DEVICE auto a_reads(typename Frame::a_tile &to, wt::u32 stage, int half) const {
    return read_a.at((2 * stage + half) * sizeof(a_half)).reads(to);
  }
  WT_DEVICE auto b_reads(typename Frame::b_tile &to, wt::u32 stage, int half) const {
    return read_b.at((2 * stage + half) * sizeof(b_half)).reads(to);
  }
};

#endif
