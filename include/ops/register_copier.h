// SPDX-License-Identifier: MIT
// The work-group copies a tile from global memory to registers and from there to LDS, with as much time
// between the two parts as the schedule likes (brings_to_lds.h).
#ifndef WT_OPS_REGISTER_COPIER_H
#define WT_OPS_REGISTER_COPIER_H

#include "isa/lds.h"
#include "lds_copier.h"

namespace wt {

// These are the bytes that a lane loads at once of a tile that Waves waves share evenly: 16, the most that an
// instruction can load, or 8 or 4.
template <class ST, int Waves>
constexpr int kRegisterCopyBytes = ST::kBytes / (Waves * target::kWaveLanes) % 16 == 0  ? 16
                                   : ST::kBytes / (Waves * target::kWaveLanes) % 8 == 0 ? 8
                                                                                        : 4;

// Fills tiles of type ST, by Waves waves together, as lds_copier does. But each wave keeps its part in
// registers in between. So a tile that is being copied takes no space in LDS until it is written, and a lane
// moves up to 16 bytes at once on both chips, where direct copies move 4 on gfx942.
//
// Tiles that lie side by side in memory are fetched together: as many as share a line of L2, of 128 bytes
// (AMD, CDNA 3 white paper). If they were fetched one after the other, L2 would send the line for each.
//
// scope: work-group; operands: buffer of rows, st of type ST; leaves: none; waits: nobody; LDS: none;
// registers: 1 scalar, kCopies, and the bytes of kTiles tiles over the lanes; chips: both
template <class ST, int Waves>
struct register_copier : lds_copier<ST, Waves, kRegisterCopyBytes<ST, Waves>> {
  using copier = lds_copier<ST, Waves, kRegisterCopyBytes<ST, Waves>>;
  using copier::kCopies;
  using piece = registers<u32, copier::kLaneBytes / 4>;
  static constexpr int kTiles = ST::kRowBytes < 128 ? 128 / ST::kRowBytes : 1;
  static_assert(ST::kSwizzle.granule() >= copier::kLaneBytes,
                "what a lane moves must stay together in LDS: choose a swizzle of 16 bytes or more");

  piece held[kTiles][kCopies];

  // Makes a copier for the tiles that begin at row first_row of a matrix, which must have column_stride 1 and
  // at least one row.
  WT_DEVICE register_copier(const gl<const typename ST::element> &matrix, int first_row)
      : copier(matrix, first_row) {}

  // Returns the loads of kTiles tiles from number `step` on into registers. The compiler waits for them
  // before a put.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  WT_DEVICE auto fetches(buffer from, int step) {
    return list_of<kCopies>([=, this, advance = step * copier::kTileBytes](auto i) WT_INLINE {
      unrolled<kTiles>([&](auto tile) WT_INLINE {
        held[tile][i] = buffer_load<piece>(from, this->offset[i], advance + tile * ST::kRowBytes);
      });
    });
  }

  // Returns the writes of the Nth of these tiles to LDS, at a place that must be uniform.
  //
  // leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: 1
  template <int Nth>
  WT_DEVICE auto puts(lds_place<ST> to) const {
    const u32 address = to.address + static_cast<u32>(thread_id() * copier::kLaneBytes);
    return list_of<kCopies>([=, this](auto i)
                                WT_INLINE { ds_write(address, held[Nth][i], i * copier::kStepBytes); });
  }

 protected:
  // Makes a copier whose offsets a derived class forms.
  WT_DEVICE register_copier() = default;
};

}  // namespace wt

#endif
