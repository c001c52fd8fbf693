// SPDX-License-Identifier: MIT
// The work-group copies a tile from global memory to LDS without registers, with addresses that are formed
// once (brings_to_lds.h).
#ifndef WT_OPS_LDS_COPIER_H
#define WT_OPS_LDS_COPIER_H

#include "../tiles/gl.h"
#include "../tiles/lds_access.h"
#include "../tiles/st.h"
#include "isa/buffer.h"
#include "isa/forget.h"
#include "isa/ids.h"
#include "lds_place.h"
#include "list.h"

namespace wt {

// This is the access of direct copies, for solve_swizzle: what a lane copies remains in one piece.
struct direct_copy_access {
  static constexpr lds_op kOp = target::kGfx950 ? lds_op::copy_b128 : lds_op::copy_b32;
  static constexpr lds_access access =
      lds_access_of<kOp, [](int lane) { return lane * target::kDirectToLdsBytes; }>();
};

// Returns one wave's copies of a Tile of consecutive bytes, a multiple of 256, to LDS; both `from` and `to`
// must be uniform. `lane` is the lane's number.
//
// scope: wave; operands: buffer, object in LDS; leaves: vmcnt; waits: caller; LDS: the object; registers: 1;
// chips: both
template <class Tile>
WT_DEVICE auto wave_copies(buffer from, lds_place<Tile> to, int lane) {
  static constexpr int kBytes = sizeof(Tile);
  static_assert(kBytes % 256 == 0, "a wave copies 4 bytes per lane at once: choose a multiple of 256 bytes");
  return list_of<kBytes / 256>([=](auto i) WT_INLINE {
    buffer_load_to_lds<4>(from, lane * 4, i * 256, to.address + static_cast<u32>(i * 256));
  });
}

// This says where the rows of a tile begin in longer rows: at byte `first_byte` of rows of `bytes` bytes.
struct row_part {
  int first_byte, bytes;
};

// Fills LDS tiles of type ST, by Waves waves together. The hardware writes LDS lane after lane, so the
// swizzle is applied to the addresses in global memory: they lie within a row as long as the swizzle keeps
// bytes in their row.
//
// Rows past the end of the matrix read its last row again. What they fill reaches only elements of the result
// that do not exist, and no access is ever out of bounds, whether or not soffset counts in the hardware's
// range check (CDNA4 ISA ch. 9 says it does not; other readings exist).
//
// Tiles lie side by side along the rows of the matrix and are numbered from 0: a K step of a product has a
// number. LaneBytes is what a lane fills at once, in bytes.
//
// scope: work-group; operands: buffer of rows, st of any swizzle that keeps LaneBytes together; leaves: none;
// waits: nobody; LDS: none; registers: 1 scalar and kCopies; chips: both
template <class ST, int Waves, int LaneBytes = target::kDirectToLdsBytes>
struct lds_copier {
  using tile = ST;
  static constexpr int kWaves = Waves;
  static constexpr int kLaneBytes = LaneBytes;
  static constexpr int kTileBytes = ST::kRowBytes;  // of a row of the tile, in global memory
  static constexpr int kCopyBytes = kLaneBytes * target::kWaveLanes;  // bytes that one instruction copies
  static constexpr int kStepBytes = kCopyBytes * Waves;    // that one instruction of each wave copies
  static constexpr int kCopies = ST::kBytes / kStepBytes;  // copies of a wave
  static constexpr int kTiles = 1;                         // tiles that are brought together
  static_assert(kCopies * kStepBytes == ST::kBytes,
                "the tile must divide evenly into one copy per wave: use a larger tile or fewer waves");
  // Whether a thread's parts of all copies begin in the same column.
  static constexpr bool kKeepsColumn =
      kStepBytes % ST::kRowBytes == 0 && kStepBytes % ST::kSwizzle.period() == 0;
  static_assert(
      ST::kSwizzle == no_swizzle || ST::compressed(ST::kSwizzle.granule()) % LaneBytes == 0,
      "the swizzle tears apart what a lane fills at once: use one that moves whole multiples of it");

  u32 place;            // byte in the tile of this wave's first copy
  int offset[kCopies];  // bytes in global memory from the matrix's first element

  // Makes a copier for the tiles that begin at row first_row of a matrix, which must have column_stride 1 and
  // at least one row.
  WT_DEVICE lds_copier(const gl<const typename ST::element> &matrix, int first_row)
      : lds_copier(matrix.row_bytes(), first_row, matrix.rows) {}
  // Makes the same for a matrix of `rows` rows, at least 1, which lie row_bytes bytes apart.
  WT_DEVICE lds_copier(int row_bytes, int first_row, int rows)
      : place(static_cast<u32>(wave_id() * kCopyBytes)) {
    const int lane = thread_id() * kLaneBytes;  // this thread's first byte in the tile
    const int from = ST::byte_at(lane), last = rows - 1 - first_row;
    unrolled<kCopies>([&](auto i) WT_INLINE {
      if constexpr (kKeepsColumn) {
        static constexpr int kDown = i * kStepBytes / ST::kRowBytes;  // from copy 0
        const int row = from / ST::kRowBytes, end = last - kDown;
        offset[i] =
            (row < end ? row : end) * row_bytes + (first_row + kDown) * row_bytes + place_in_row(from);
      } else {
        const int there = ST::byte_at(lane + i * kStepBytes), row = there / ST::kRowBytes;
        offset[i] = (first_row + (row < last ? row : last)) * row_bytes + place_in_row(there);
      }
    });
  }

  // Makes a copier for the tile of rows that all exist, lie row_bytes bytes apart and begin at `part` of
  // them. What a lane fills comes from the last multiple of kLaneBytes in a row where it would begin past the
  // row's end. So copies of the last row may go past its end, by less than kLaneBytes: the caller makes sure
  // that memory is there.
  WT_DEVICE lds_copier(int row_bytes, row_part part) : place(static_cast<u32>(wave_id() * kCopyBytes)) {
    const int last = (part.bytes - 1) / kLaneBytes * kLaneBytes;
    unrolled<kCopies>([&](auto i) WT_INLINE {
      const int from = byte_of<i>(), at = part.first_byte + place_in_row(from);
      offset[i] = from / ST::kRowBytes * row_bytes + (at < last ? at : last);
    });
  }

  // Returns the byte of the tile, as it would lie without a swizzle, at which this thread's part of copy I
  // begins.
  template <int I>
  WT_DEVICE static int byte_of() {
    const int lane = thread_id() * kLaneBytes;
    if constexpr (kKeepsColumn) {
      return ST::byte_at(lane) + I * kStepBytes;
    } else {
      return ST::byte_at(lane + I * kStepBytes);
    }
  }

  // Makes the compiler forget the place. Loops with many copies call it in each iteration; else their LDS
  // addresses are all kept in scalar registers.
  WT_DEVICE void forget_place() { forget_uniform(place); }
  // Makes the compiler forget how the offsets were computed. A product that it adds up in 64 bits else keeps
  // a second register, which nobody reads, for as long as the offset is used.
  WT_DEVICE void forget_offsets() {
    unrolled<kCopies>([&](auto i) WT_INLINE { forget(offset[i]); });
  }

  // Returns the copies of tile number `step` to LDS; both it and the place must be uniform.
  //
  // leaves: vmcnt; waits: caller; LDS: the tile; registers: none
  WT_DEVICE auto copies(buffer from, int step, lds_place<ST> to) const {
    return copies_at(from, step * kTileBytes, to);
  }
  // Returns those of the tile that lies `advance` bytes further on in every row than tile 0.
  //
  // leaves: vmcnt; waits: caller; LDS: the tile; registers: none
  WT_DEVICE auto copies_at(buffer from, int advance, lds_place<ST> to) const {
    return list_of<kCopies>([=, self = *this](auto i)
                                WT_INLINE { self.template copy<i>(from, advance, to); });
  }
  // Issues the I-th of these copies.
  //
  // leaves: vmcnt; waits: caller; LDS: the tile; registers: none
  template <int I>
  WT_DEVICE void copy(buffer from, int advance, lds_place<ST> to) const {
    buffer_load_to_lds<kLaneBytes>(from, offset[I], advance, to.address + place + I * kStepBytes);
  }

 protected:
  // Makes a copier whose offsets a derived class sets.
  WT_DEVICE lds_copier() : place(static_cast<u32>(wave_id() * kCopyBytes)) {}

 private:
  WT_DEVICE static int place_in_row(int byte) { return byte % ST::kRowBytes; }
};

}  // namespace wt

#endif
