// SPDX-License-Identifier: MIT
// Global memory -> LDS without registers: the work-group's copies of a tile, addresses formed once.
#ifndef WT_OPS_LDS_COPIER_H
#define WT_OPS_LDS_COPIER_H

#include "../tiles/gl.h"
#include "../tiles/lds_access.h"
#include "../tiles/st.h"
#include "isa/buffer.h"
#include "isa/forget.h"
#include "isa/ids.h"
#include "list.h"

namespace wt {

// The access of direct copies, for solve_swizzle: what a lane copies stays in one piece.
struct direct_copy_access {
  static constexpr lds_op kOp = target::kGfx950 ? lds_op::copy_b128 : lds_op::copy_b32;
  static constexpr lds_access access =
      lds_access_of<kOp, [](int lane) { return lane * target::kDirectToLdsBytes; }>();
};

// One wave's copies of Bytes bytes in a row, a multiple of 256, to the LDS address `to`; both must be
// uniform. The lane is its number. Counted by vmcnt.
template <int Bytes>
WT_DEVICE auto wave_copies(buffer from, u32 to, int lane) {
  static_assert(Bytes % 256 == 0, "a wave copies 4 bytes per lane at once: choose a multiple of 256");
  return list_of<Bytes / 256>([=](auto i) WT_INLINE {
    buffer_load_to_lds<4>(from, lane * 4, i * 256, to + static_cast<u32>(i * 256));
  });
}

// Fills tiles of type ST, Waves waves together. LDS is written lane after lane, so the swizzle is applied to
// the addresses in global memory: they stay within a row as long as the swizzle does.
//
// Rows past the end of the matrix read its last row again: what they fill reaches only elements of the result
// that do not exist, and no access is ever out of bounds, whether or not soffset counts in the hardware's
// range check (CDNA4 ISA ch. 9 says it does not; other readings exist).
//
// LaneBytes: what a lane moves at once.
template <class ST, int Waves, int LaneBytes = target::kDirectToLdsBytes>
struct lds_copier {
  static constexpr int kLaneBytes = LaneBytes;
  static constexpr int kCopyBytes = kLaneBytes * target::kWaveLanes;  // by one instruction
  static constexpr int kStep = kCopyBytes * Waves;                    // by one of each wave
  static constexpr int kCopies = ST::kBytes / kStep;                  // per wave
  static_assert(kCopies * kStep == ST::kBytes,
                "the tile must divide evenly into one copy per wave: use a larger tile or fewer waves");

  u32 place;            // in the tile, of this wave's first copy
  int offset[kCopies];  // in global memory, from the matrix's first element

  // For the tile that begins at row first_row of a matrix of `rows` rows, at least 1, row_bytes apart.
  WT_DEVICE lds_copier(int row_bytes, int first_row, int rows)
      : place(static_cast<u32>(wave_id() * kCopyBytes)) {
    const int lane = thread_id() * kLaneBytes;  // in the tile, of this thread's first byte
    const int from = unswizzled<ST::kSwizzle>(lane), last = rows - 1 - first_row;
    unrolled<kCopies>([&](auto i) WT_INLINE {
      if constexpr (kStep % ST::kRowBytes == 0 && kStep % ST::kSwizzle.period() == 0) {
        constexpr int kDown = i * kStep / ST::kRowBytes;  // all lanes' rows, from the first copy to this one
        const int row = from / ST::kRowBytes, end = last - kDown;
        offset[i] =
            (row < end ? row : end) * row_bytes + (first_row + kDown) * row_bytes + from % ST::kRowBytes;
      } else {
        const int there = unswizzled<ST::kSwizzle>(lane + i * kStep), row = there / ST::kRowBytes;
        offset[i] = (first_row + (row < last ? row : last)) * row_bytes + there % ST::kRowBytes;
      }
    });
  }

  // In each turn of a loop with many copies: or their LDS addresses are kept in scalar registers.
  WT_DEVICE void forget_place() { forget_uniform(place); }

  // Copies the tile that lies `advance` bytes further on in every row, to the LDS tile at `address`; both
  // must be uniform. Counted by vmcnt.
  WT_DEVICE auto copies(buffer from, int advance, u32 address) const {
    return list_of<kCopies>([=, self = *this](auto i)
                                WT_INLINE { self.template copy<i>(from, advance, address); });
  }
  // The I-th of them.
  template <int I>
  WT_DEVICE void copy(buffer from, int advance, u32 address) const {
    buffer_load_to_lds<kLaneBytes>(from, offset[I], advance, address + place + I * kStep);
  }
};

}  // namespace wt

#endif
