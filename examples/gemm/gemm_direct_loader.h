// SPDX-License-Identifier: MIT
// Defines the loader of rungs 05 and 06: each wave copies its tiles from memory to LDS, past the registers.
#ifndef WT_EXAMPLES_GEMM_DIRECT_LOADER_H
#define WT_EXAMPLES_GEMM_DIRECT_LOADER_H

#include "gemm_wave_tiles.h"

namespace gemm_wave_tiles {

// LDS is filled lane after lane, so the swizzle is applied to the addresses in memory.
template <class In, wt::swizzle Swizzle>
struct direct_loader {
  using tile = gemm_wave_tiles::tile<In, Swizzle>;
  static constexpr int kLaneBytes = wt::target::kDirectToLdsBytes, kAlignment = kLaneBytes;
  static constexpr int kCopyBytes = kLaneBytes * kLanes;  // by one instruction
  static constexpr int kCopies = tile::kBytes / kCopyBytes;

  wt::buffer a_memory, b_memory;
  int a_offset[kCopies], b_offset[kCopies];  // in memory, from the tile's first element

  WT_DEVICE direct_loader(const wt::gl<const In> &a, const wt::gl<const In> &b)
      : a_memory(wt::memory_of(a, kWaveTile)), b_memory(wt::memory_of(b, kWaveTile)) {
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      const int lands = i * kCopyBytes + wt::lane_id() * kLaneBytes, from = wt::unswizzled<Swizzle>(lands);
      const int row = from / kStep, column = from % kStep;
      a_offset[i] = row * a.row_bytes() + column;
      b_offset[i] = row * b.row_bytes() + column;
    });
  }

  WT_DEVICE void load(tile &a_tile, tile &b_tile, int k0) const {
    const wt::lds_place to_a(a_tile), to_b(b_tile);
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      wt::buffer_load_to_lds<kLaneBytes>(a_memory, a_offset[i], k0, to_a.byte(i * kCopyBytes));
    });
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      wt::buffer_load_to_lds<kLaneBytes>(b_memory, b_offset[i], k0, to_b.byte(i * kCopyBytes));
    });
    wt::wait_vmem<0>();  // copies are counted by vmcnt: they must land before the tile is read
  }
};

}  // namespace gemm_wave_tiles

#endif
