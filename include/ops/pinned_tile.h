// SPDX-License-Identifier: MIT
// This header says what happens to pinned register tiles (tiles/rt_pinned.h) between their MFMAs: how values
// get into them, are kept and get out. MFMAs on them are inline assembly; the compiler neither knows that it
// multiplies nor waits for it.
//
// scope: wave; operands: rt_pinned, or rt where said; leaves: none; waits: nobody; LDS: none; registers:
// none; chips: both
#ifndef WT_OPS_PINNED_TILE_H
#define WT_OPS_PINNED_TILE_H

#include "global_tile.h"
#include "isa/forget.h"
#include "isa/sync.h"
#include "mma.h"

namespace wt {

// Sets every element of a pinned tile to zero.
template <register_file File, int First, class T, int M, int N, class L>
WT_DEVICE void zero(rt_pinned<File, First, T, M, N, L> &c) {
  using tile = rt_pinned<File, First, T, M, N, L>;
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    static constexpr int kI = n / tile::kWide, kJ = n % tile::kWide;
    c.fragment[kI][kJ] = {};
    keep_in_place<typename detail::place_of<tile, kI, kJ, 0>::type>(c.fragment[kI][kJ]);
  });
}

// Keeps a pinned tile in its registers where control flow joins, or between its uses. It emits no
// instruction. It is needed after an `if` that changes the tile in one branch only.
template <register_file File, int First, class T, int M, int N, class L>
WT_DEVICE void keep(rt_pinned<File, First, T, M, N, L> &c) {
  using tile = rt_pinned<File, First, T, M, N, L>;
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    static constexpr int kI = n / tile::kWide, kJ = n % tile::kWide;
    keep_in_place<typename detail::place_of<tile, kI, kJ, 0>::type>(c.fragment[kI][kJ]);
  });
}
// Does nothing for a tile that is not pinned, whose registers the compiler chooses.
template <class T, int M, int N, class L>
WT_DEVICE void keep(rt<T, M, N, L> &) {}

// Sets to = from, in the registers of `to` from here on: the opposite of release.
template <register_file File, int First, class T, int M, int N, class L>
WT_DEVICE void pin(rt_pinned<File, First, T, M, N, L> &to, const rt<T, M, N, L> &from) {
  using tile = rt<T, M, N, L>;
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    to.fragment[n / tile::kWide][n % tile::kWide] = from.fragment[n / tile::kWide][n % tile::kWide];
  });
  keep(to);
}
template <class T, int M, int N, class L>
WT_DEVICE void pin(rt<T, M, N, L> &to, const rt<T, M, N, L> &from) {
  to = from;
}

// Loads the part of a matrix that begins at element (row, column), as load in global_tile.h does.
//
// operands: rt_pinned, gl; registers: the tile and addresses
template <register_file File, int First, class T, int M, int N, class L, class U>
WT_DEVICE void load(rt_pinned<File, First, T, M, N, L> &to, const gl<U> &matrix, int row, int column) {
  rt<T, M, N, L> tile;
  load(tile, matrix, row, column);
  pin(to, tile);
}

// Waits for the MFMAs on a tile, of which the last must have been issued, and keeps it: its values are there
// on every path below, where values_of reads them.
template <register_file File, int First, class T, int M, int N, class L>
WT_DEVICE void complete(rt_pinned<File, First, T, M, N, L> &c) {
  mfma_result_wait();
  keep(c);
}
// Does nothing for a tile that is not pinned: the compiler waits for its MFMAs.
template <class T, int M, int N, class L>
WT_DEVICE void complete(rt<T, M, N, L> &) {}

// Returns the values of a complete tile in the registers where they are, for stores, which take either file.
template <register_file File, int First, class T, int M, int N, class L>
WT_DEVICE rt<T, M, N, L> in_place(const rt_pinned<File, First, T, M, N, L> &c) {
  using tile = rt<T, M, N, L>;
  rt<T, M, N, L> free;
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    free.fragment[n / tile::kWide][n % tile::kWide] = c.fragment[n / tile::kWide][n % tile::kWide];
  });
  return free;
}
template <class T, int M, int N, class L>
WT_DEVICE const rt<T, M, N, L> &in_place(const rt<T, M, N, L> &c) {
  return c;
}
// Returns fragment (I, J) of a complete tile for arithmetic: one in AGPRs is read from there at this point of
// the program. The compiler would read it early, where control flow has not branched, and then have no
// registers.
//
// registers: the fragment
template <int I, int J, register_file File, int First, class T, int M, int N, class L>
WT_DEVICE auto value_of(const rt_pinned<File, First, T, M, N, L> &c) {
  using tile = rt_pinned<File, First, T, M, N, L>;
  auto values = c.fragment[I][J];
  if constexpr (tile::in_agprs(I, J)) {
    unrolled<kValueBytes<decltype(values)> / 4>(
        [&](auto e) WT_INLINE { values[e.value] = agpr_read(c.fragment[I][J][e.value]); });
  }
  return values;
}
// Returns all of them.
//
// registers: the tile
template <register_file File, int First, class T, int M, int N, class L>
WT_DEVICE rt<T, M, N, L> values_of(const rt_pinned<File, First, T, M, N, L> &c) {
  using tile = rt<T, M, N, L>;
  rt<T, M, N, L> free;
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    free.fragment[n / tile::kWide][n % tile::kWide] = value_of<n / tile::kWide, n % tile::kWide>(c);
  });
  return free;
}
// Returns a tile that is not pinned as it is.
template <class T, int M, int N, class L>
WT_DEVICE const rt<T, M, N, L> &values_of(const rt<T, M, N, L> &c) {
  return c;
}

// Completes a tile and returns its values. Where control flow has branched, complete the tile before: the
// compiler executes branches one after the other, also those that all lanes take alike, and a tile that one
// of them completes is moved to other registers, as the next one may need it as it was.
//
// registers: the tile where the compiler moves it
template <class Tile>
WT_DEVICE auto release(Tile &c) {
  complete(c);
  return in_place(c);
}

// Do the same in parts, for MFMAs on other tiles to be issued between: first the wait, then fragment (I, J).
// The tile stays where it is.
//
// registers: the fragment where the compiler moves it
template <register_file File, int First, class T, int M, int N, class L>
WT_DEVICE void wait_for_result(const rt_pinned<File, First, T, M, N, L> &) {
  mfma_result_wait();
}
template <class T, int M, int N, class L>
WT_DEVICE void wait_for_result(const rt<T, M, N, L> &) {}
template <int I, int J, register_file File, int First, class T, int M, int N, class L>
WT_DEVICE auto result_of(rt_pinned<File, First, T, M, N, L> &c) {
  using tile = rt_pinned<File, First, T, M, N, L>;
  keep_in_place<typename detail::place_of<tile, I, J, 0>::type>(c.fragment[I][J]);
  return c.fragment[I][J];
}
template <int I, int J, class T, int M, int N, class L>
WT_DEVICE auto result_of(const rt<T, M, N, L> &c) {
  return c.fragment[I][J];
}

// Makes the compiler compute the tile at this point of the program, not where it is used. It emits no
// instruction.
template <class T, int M, int N, class L>
WT_DEVICE void forget(rt<T, M, N, L> &tile) {
  using tile_type = rt<T, M, N, L>;
  unrolled<tile_type::kTall * tile_type::kWide>(
      [&](auto n) WT_INLINE { forget(tile.fragment[n / tile_type::kWide][n % tile_type::kWide]); });
}
// Makes a tile, or an array of tiles, that vector instructions wrote ready as an operand of pinned MFMAs: the
// values are there, and two wait states have passed (CDNA4 ISA, table 38).
template <class Tiles>
WT_DEVICE void settle(Tiles &tiles) {
  forget(tiles);
  s_nop<1>();
}
// Does the same for a tile that lds_reader_tr read: on gfx942 vector instructions join its elements.
template <class Tile>
WT_DEVICE void settle_transposed(Tile &tile) {
  if constexpr (!target::kGfx950) settle(tile);
}

// ---- arrays of tiles
// Do the same for each tile of an array.
template <class Tile, int N>
WT_DEVICE void zero(Tile (&tiles)[N]) {
  unrolled<N>([&](auto i) WT_INLINE { zero(tiles[i.value]); });
}
template <class Tile, int N>
WT_DEVICE void keep(Tile (&tiles)[N]) {
  unrolled<N>([&](auto i) WT_INLINE { keep(tiles[i.value]); });
}
template <class Tile, int N>
WT_DEVICE void complete(Tile (&tiles)[N]) {
  unrolled<N>([&](auto i) WT_INLINE { complete(tiles[i.value]); });
}
template <class Tile, int N>
WT_DEVICE void forget(Tile (&tiles)[N]) {
  unrolled<N>([&](auto i) WT_INLINE { forget(tiles[i.value]); });
}

}  // namespace wt

#endif
