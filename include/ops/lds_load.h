// SPDX-License-Identifier: MIT
// A wave reads a tile from LDS into registers in any layout, by reads as wide as the layout's runs and the
// swizzle leave together.
#ifndef WT_OPS_LDS_LOAD_H
#define WT_OPS_LDS_LOAD_H

#include "../tiles/st.h"
#include "isa/lds.h"
#include "tile_chunks.h"

namespace wt {

namespace detail {

// Returns the largest power of two of bytes that one LDS instruction may move: those of a run, if the swizzle
// keeps them together.
template <class ST, class Tile>
constexpr int lds_chunk_bytes() {
  static_assert(__is_same(typename ST::element, typename Tile::element),
                "the tiles differ in type: convert the register tile first");
  static_assert(Tile::kRows <= ST::kRows && Tile::kColumns <= ST::kColumns,
                "the register tile is larger than the LDS tile");
  constexpr int kRun = run_bytes<Tile>();
  return kRun < ST::kSwizzle.granule() ? kRun : ST::kSwizzle.granule();
}

// Returns the byte offset of element (row, column) in an LDS tile.
template <class ST>
WT_DEVICE u32 lds_offset(int row, int column) {
  return static_cast<u32>(swizzled<ST::kSwizzle>(ST::linear(row, column)));
}

}  // namespace detail

// Sets `to` to the part of an LDS tile that begins at element (row, column), by ds_read_b128 down to
// ds_read_u8. Each read forms its own address, and bank conflicts are not checked: lds_reader is for inner
// loops, this is for layouts that it refuses, such as a transposing read of 16-bit elements on gfx942.
//
// scope: wave; operands: rt of any layout, st of any swizzle; leaves: lgkmcnt; waits: compiler; LDS: reads
// the tile; registers: addresses; chips: both
template <class T, int R, int C, swizzle S, int Rows, int Columns, class Layout>
WT_DEVICE void load(rt<T, Rows, Columns, Layout> &to, st<T, R, C, S> &from, int row = 0, int column = 0) {
  using tile = rt<T, Rows, Columns, Layout>;
  using chunks = detail::chunks<tile, detail::lds_chunk_bytes<st<T, R, C, S>, tile>()>;
  const u32 base = lds_address(&from);
  chunks::each(to, [&](auto c, auto &fragment, int r, int col) WT_INLINE {
    chunks::template put<c>(fragment, ds_read<typename chunks::value>(
                                          base + detail::lds_offset<st<T, R, C, S>>(row + r, column + col)));
  });
}

}  // namespace wt

#endif
