// SPDX-License-Identifier: MIT
// Brings the tiles of a wave of a kernel for few rows to LDS, through registers.
#ifndef WT_KERNELS_GEMM_ROW_LINES_H
#define WT_KERNELS_GEMM_ROW_LINES_H

#include "wavetile_device.h"

// Says whether a wave has more steps after this one.
enum class gemm_step { more_follow, last };

// Brings a wave's tiles of type ST into LDS, through registers. A load is of whole lines: 1 KB of rows of 128
// bytes or more. The swizzle is applied to the addresses in memory, as in lds_copier.
template <class ST>
struct gemm_row_lines {
  static constexpr int kPieceBytes = 16, kLoadBytes = wt::target::kWaveLanes * kPieceBytes,
                       kLoads = ST::kBytes / kLoadBytes;

  const char *tile;        // its first byte
  int step_bytes;          // from a tile to the next
  wt::u32 offset[kLoads];  // from there, the lane's, of each load: in 32 bits, which the host makes sure of
  wt::u32x4 held[kLoads];

  // Loads the tiles from `first` on, `advance` bytes apart, of which so many rows exist, at least one. Later
  // rows read the last one again. place(row, byte) is how many bytes a piece lies behind the first row's
  // first byte.
  template <class Place>
  WT_DEVICE gemm_row_lines(const void *first, int rows, int advance, const Place &place)
      : tile(static_cast<const char *>(first)), step_bytes(advance) {
    wt::unrolled<kLoads>([&](auto i) WT_INLINE {
      const int at = piece<i>(), row = at / ST::kRowBytes, last = rows - 1;
      offset[i] = static_cast<wt::u32>(place(row < last ? row : last, at % ST::kRowBytes));
    });
  }

  // Returns the loads from memory to registers.
  WT_DEVICE auto loads() {
    return wt::list_of<kLoads>([this](auto i)
                                   WT_INLINE { held[i] = wt::global_load<wt::u32x4>(tile + offset[i]); });
  }
  // Likewise, where only the first `bytes` of each row exist, whole pieces; the others become zeros.
  WT_DEVICE void load_masked(int bytes) {
    wt::unrolled<kLoads>([&](auto i) WT_INLINE {
      held[i] = wt::u32x4{};
      if (piece<i>() % ST::kRowBytes < bytes) held[i] = wt::global_load<wt::u32x4>(tile + offset[i]);
    });
  }
  WT_DEVICE void advance() { tile += step_bytes; }  // to the next tile
  // Returns the stores of the registers to the LDS tile at `address`. If more steps follow, each register is
  // loaded again at once from the tile advance() has gone to, without waiting for the others' data.
  template <gemm_step Step>
  WT_DEVICE auto stores(wt::u32 address) {
    return wt::list_of<kLoads>(
        [this, to = address + static_cast<wt::u32>(wt::lane_id() * kPieceBytes)](auto i) WT_INLINE {
          wt::ds_write(to, held[i], i * kLoadBytes);
          if constexpr (Step == gemm_step::more_follow) loads().template issue<i>();
          wt::sched_barrier();
        });
  }

 private:
  // Returns where in the tile the lane's piece of load I lies, row by row without the swizzle.
  template <int I>
  WT_DEVICE static int piece() {
    return wt::unswizzled<ST::kSwizzle>(wt::lane_id() * kPieceBytes + I * kLoadBytes);
  }
};

#endif
