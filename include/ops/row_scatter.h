// SPDX-License-Identifier: MIT
// A wave writes an accumulator to rows that lie anywhere in global memory.
#ifndef WT_OPS_ROW_SCATTER_H
#define WT_OPS_ROW_SCATTER_H

#include "row_writer.h"

namespace wt {

// Writes tiles as row_writer does, with the same stores and the same needs, but each row to a place of its
// own.
//
// scope: wave; operands: buffer, rt_ct of 16x16 fragments, on gfx950 also of 32x32; leaves: none; waits:
// nobody; LDS: none; registers: 4 scalar, one for 16 rows, and kStores; chips: both
template <class Out, class Tile>
struct row_scatter {
  using writer = row_writer<Out, Tile>;
  static constexpr int kGroups = Tile::kRows / 16;  // of rows that are stored together
  // This is a column that does not exist: with the byte of any row, also one that is out of range, it is past
  // the end of every buffer.
  static constexpr int kNoColumn = 0x7ffffff0;

  buffer to;
  int row[kGroups];             // bytes to this lane's row
  int column[writer::kStores];  // bytes from there to its run

  // Makes a writer for the leading `columns` columns of a tile. Its row r lies row_at(r) bytes from the
  // buffer's start on, or nowhere where that is kOutOfRange.
  template <class RowAt>
  WT_DEVICE row_scatter(buffer memory, int columns, const RowAt &row_at) : to(memory) {
    unrolled<kGroups>([&](auto i) WT_INLINE { row[i] = row_at(16 * i + lane_id() % 16); });
    unrolled<writer::kStores>([&](auto s) WT_INLINE {
      const int first = writer::column_of(s);
      column[s] = first < columns ? first * static_cast<int>(sizeof(Out)) : kNoColumn;
    });
  }

  // Returns the stores of `scale` times the tile.
  //
  // leaves: vmcnt; waits: nobody; registers: none
  WT_DEVICE auto stores(const Tile &tile, float scale) const {
    return list_of<writer::kStoresOfTile>([this, &tile, scale](auto n) WT_INLINE {
      buffer_store(to, row[n / writer::kStores] + column[n % writer::kStores],
                   writer::template rounded<n>(tile, scale));
    });
  }
};

}  // namespace wt

#endif
