// SPDX-License-Identifier: MIT
// The launch chooses the size of dynamic LDS; a kernel places tiles and vectors in it by byte offset.
//
// scope: lane; operands: byte offset; leaves: none; waits: nobody; LDS: none; registers:
// none; chips: both
#ifndef WT_OPS_DYNAMIC_LDS_H
#define WT_OPS_DYNAMIC_LDS_H

#include "../tiles/st.h"
#include "../tiles/sv.h"
#include "isa/launch.h"

namespace wt {

namespace detail {
constexpr int kLdsAlignment = 16;
// Begins behind what the kernel declares with WT_SHARED. The language has no other way to name it.
extern WT_SHARED __attribute__((aligned(16))) unsigned char dynamic_lds_memory[];
}  // namespace detail

// Returns how many bytes the launch gives. The kernel must use dynamic LDS elsewhere, too: only then it is
// told.
//
// LDS: none
WT_DEVICE int dynamic_lds_bytes() { return read_implicit<int>(implicit_argument::dynamic_lds_bytes); }

// Returns the Tile (an st, an sv, or a structure of them) that lies `offset` bytes from the beginning of the
// dynamic LDS; the offset is a multiple of 16. The launch must give offset + sizeof(Tile) bytes: the third
// number between <<< and >>>, or sharedMemBytes. It refuses more than the device has; with less, the
// simulated device stops the kernel at the first access beyond and names it, hardware reads zeros and drops
// writes.
template <class Tile>
WT_DEVICE Tile &dynamic_tile(int offset) {
  static_assert(alignof(Tile) <= detail::kLdsAlignment,
                "dynamic LDS is aligned to 16 bytes: place types of that alignment or less");
  return *reinterpret_cast<Tile *>(detail::dynamic_lds_memory + offset);
}
// Returns the same at an offset that is known at compile time, which is checked against the chip's LDS.
template <class Tile, int Offset>
WT_DEVICE Tile &dynamic_tile() {
  static_assert(Offset >= 0 && Offset % detail::kLdsAlignment == 0,
                "a tile in LDS begins at a multiple of 16 bytes: round its offset up");
  static_assert(
      Offset + static_cast<int>(sizeof(Tile)) <= target::kLdsBytes,
      "the tile ends beyond the chip's LDS (64 KB on gfx942, 160 KB on gfx950): make the tiles smaller");
  return dynamic_tile<Tile>(Offset);
}

// These are tiles one after the other from the beginning of the dynamic LDS. kBytes is what the launch must
// give; the host may read it from here, too.
template <class... Tiles>
struct dynamic_tiles {
  static constexpr int kCount = sizeof...(Tiles);

  // Returns the offset of tile I in bytes; that of tile kCount is the size of all.
  static constexpr int offset(int i) {
    constexpr int kSizes[] = {static_cast<int>(sizeof(Tiles))...};
    int at = 0;
    for (int n = 0; n < i; ++n)
      at += (kSizes[n] + detail::kLdsAlignment - 1) / detail::kLdsAlignment * detail::kLdsAlignment;
    return at;
  }
  static constexpr int kBytes = offset(kCount);
  static_assert(
      kBytes <= target::kLdsBytes,
      "the tiles are larger than the chip's LDS (64 KB on gfx942, 160 KB on gfx950): make them smaller");

  // This is the type of tile I.
  template <int I>
  using tile = __type_pack_element<I, Tiles...>;
  // Returns tile I where it lies.
  template <int I>
  WT_DEVICE static tile<I> &get() {
    static_assert(I >= 0 && I < kCount, "there are fewer tiles: they are numbered from 0");
    return dynamic_tile<tile<I>, offset(I)>();
  }

  // Stops the kernel (stop_kernel, isa/launch.h) where the launch gives less than kBytes: one scalar load and
  // a comparison. Every wave does it, before the first use.
  WT_DEVICE static void require() {
    if (dynamic_lds_bytes() < kBytes) stop_kernel();
  }
};

}  // namespace wt

#endif
