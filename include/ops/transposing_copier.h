// SPDX-License-Identifier: MIT
// A work-group copies a tile from columns in global memory to registers and from there, transposed, to LDS,
// with as much time between the two parts as the schedule likes (brings_to_lds.h).
#ifndef WT_OPS_TRANSPOSING_COPIER_H
#define WT_OPS_TRANSPOSING_COPIER_H

#include "../tiles/gl.h"
#include "isa/buffer.h"
#include "transposing_blocks.h"

namespace wt {

// Fills tiles of type ST, of elements of 8 or 16 bits, from a matrix whose columns are contiguous. It is to
// transposing_stager what register_copier is to row_stager: loads go through a buffer descriptor, and find
// zeros past its end.
//
// scope: work-group; operands: buffer of columns, st of type ST; leaves: none; waits: nobody; LDS: none;
// registers: those of held, place and rows, and kBlocks; chips: both
template <class ST, int Threads>
struct transposing_copier : transposing_blocks<ST, Threads> {
  using blocks = transposing_blocks<ST, Threads>;
  using blocks::kBlocks, blocks::kColumns, blocks::kCopies, blocks::kVector;
  using typename blocks::T, typename blocks::vector;
  static constexpr int kLoadsEach = blocks::kLoads / kCopies;  // loads for each of them

  int column_bytes;     // bytes from a column to the next
  int offset[kBlocks];  // bytes to the first column of a block
  u32x2 rows[kVector];  // of the block that is being written

  // Makes a copier for the tiles that begin at row first_row of the transpose of `by_column`, a matrix of
  // rows of a multiple of 4 elements.
  WT_DEVICE transposing_copier(const gl<const T> &by_column, int first_row)
      : column_bytes(by_column.row_bytes()) {
    unrolled<kBlocks>([&](auto b) WT_INLINE {
      const int row = first_row + blocks::row_of(thread_id(), b);
      const int column = blocks::byte_of(thread_id(), b) / static_cast<int>(sizeof(T));
      offset[b] =
          row < by_column.columns ? column * column_bytes + row * static_cast<int>(sizeof(T)) : kOutOfRange;
    });
  }

  // Returns the loads of tile number `step` of those that follow each other along the rows.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  WT_DEVICE auto fetches(buffer from, int step) {
    return list_of<kCopies>([=, this, advance = step * ST::kColumns * column_bytes](auto n) WT_INLINE {
      unrolled<kLoadsEach>([&](auto i) WT_INLINE {
        static constexpr int kN = n * kLoadsEach + i, kB = kN / kColumns, kC = kN % kColumns;
        this->held[kB][kC] = buffer_load<vector>(from, offset[kB], advance + kC * column_bytes);
      });
    });
  }

  // Returns the writes to LDS. The first write of a block leaves its registers to the next fetch.
  //
  // leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: none
  template <int Nth>
  WT_DEVICE auto puts(lds_place<ST> to) {
    static_assert(Nth == 0, "transposing_copier brings one tile at a time: fetch and put them in turn");
    return list_of<kCopies>([this, to](auto n) WT_INLINE {
      static constexpr int kB = n / kVector, kR = n % kVector;
      if constexpr (kR == 0) {
        unrolled<kVector>([&](auto r) WT_INLINE { rows[r] = this->template row_of_block<kB, r>(); });
      }
      ds_write(to.address + this->place[kB][kR], rows[kR]);
    });
  }

 protected:
  // Makes a copier whose offsets a derived class forms.
  WT_DEVICE transposing_copier() = default;
};

}  // namespace wt

#endif
