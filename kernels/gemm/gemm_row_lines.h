// SPDX-License-Identifier: MIT
// Brings the tiles of a wave of a kernel for few rows to LDS, through registers.
#ifndef WT_KERNELS_GEMM_ROW_LINES_H
#define WT_KERNELS_GEMM_ROW_LINES_H

#include "gemm_step.h"
#include "wavetile_device.h"

// Brings a wave's tiles of type ST into LDS, through registers. A load is of whole lines: 1 KB of rows of 128
// bytes or more. The swizzle is applied to the addresses in memory, as in lds_copier.
template <class ST>
struct gemm_row_lines {
  using tile = ST;
  static constexpr int kPieceBytes = 16, kLoadBytes = wt::target::kWaveLanes * kPieceBytes,
                       kCopies = ST::kBytes / kLoadBytes;

  const char *first;        // byte of the tile
  int step_bytes;           // from a tile to the next
  wt::u32 offset[kCopies];  // from there, the lane's, of each load: in 32 bits, which the host makes sure of
  wt::u32x4 held[kCopies];

  // Loads the tiles from `from` on, `advance` bytes apart, of which so many rows exist. Later rows read the
  // last one again, which lies before the tile where none exists. place(row, byte) is how many bytes a piece
  // lies behind the first byte.
  template <class Place>
  WT_DEVICE gemm_row_lines(const void *from, int rows, int advance, const Place &place)
      : first(static_cast<const char *>(from)), step_bytes(advance) {
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      const int at = piece<i>(), row = at / ST::kRowBytes, last = rows - 1;
      offset[i] = static_cast<wt::u32>(place(row < last ? row : last, at % ST::kRowBytes));
    });
  }

  // Returns the loads from memory to registers.
  WT_DEVICE auto fetches() {
    return wt::list_of<kCopies>([this](auto i)
                                    WT_INLINE { held[i] = wt::global_load<wt::u32x4>(first + offset[i]); });
  }
  // Loads likewise where only the first `bytes` of each row exist, whole pieces; the others become zeros.
  WT_DEVICE void load_masked(int bytes) {
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      held[i] = wt::u32x4{};
      if (piece<i>() % ST::kRowBytes < bytes) held[i] = wt::global_load<wt::u32x4>(first + offset[i]);
    });
  }
  WT_DEVICE void advance() { first += step_bytes; }  // to the next tile
  // Returns the writes of the registers to LDS.
  template <int Nth = 0>
  WT_DEVICE auto puts(wt::lds_place<ST> to) const {
    static_assert(Nth == 0, "gemm_row_lines fetches one tile at a time: put number 0");
    const wt::u32 address = to.byte(static_cast<wt::u32>(wt::lane_id() * kPieceBytes));
    return wt::list_of<kCopies>([=, this](auto i)
                                    WT_INLINE { wt::ds_write(address, held[i], i * kLoadBytes); });
  }
  // Returns the same for a step. If more follow, each register is loaded again at once from the tile that
  // advance() has gone to, without waiting for the others' data.
  template <gemm_step Step>
  WT_DEVICE auto puts_of(wt::lds_place<ST> to) {
    const auto apart = [](const auto &list) WT_INLINE {
      return wt::list_of<kCopies>([list](auto i) WT_INLINE {
        list.template issue<i>();
        wt::sched_barrier();
      });
    };
    if constexpr (Step == gemm_step::more_follow) {
      return apart(alongside(puts(to), fetches()));
    } else {
      return apart(puts(to));
    }
  }

 private:
  // Returns where in the tile the lane's piece of load I lies, row by row without the swizzle.
  template <int I>
  WT_DEVICE static int piece() {
    return wt::unswizzled<ST::kSwizzle>(wt::lane_id() * kPieceBytes + I * kLoadBytes);
  }
};

#endif
