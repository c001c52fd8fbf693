// SPDX-License-Identifier: MIT
// A work-group copies a tile from columns in global memory to registers and from there, transposed, to LDS,
// with as much time between the two parts as the schedule likes.
#ifndef WT_OPS_TRANSPOSING_COPIER_H
#define WT_OPS_TRANSPOSING_COPIER_H

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
  using blocks::kBlocks, blocks::kColumns, blocks::kVector;
  using typename blocks::T, typename blocks::vector;
  static constexpr int kCopies = blocks::kStores;              // writes of a thread
  static constexpr int kLoadsEach = blocks::kLoads / kCopies;  // loads for each of them

  int column_bytes;     // bytes from a column to the next
  int offset[kBlocks];  // bytes to the first column of a block
  u32x2 rows[kVector];  // of the block that is being written

  // Makes a copier for the tile that begins at column 0 and row first_row of a matrix of `rows` rows, a
  // multiple of 4.
  WT_DEVICE transposing_copier(int bytes_of_column, int first_row, int rows) : column_bytes(bytes_of_column) {
    unrolled<kBlocks>([&](auto b) WT_INLINE {
      const int row = first_row + blocks::row_of(thread_id(), b);
      const int column = blocks::byte_of(thread_id(), b) / static_cast<int>(sizeof(T));
      offset[b] = row < rows ? column * column_bytes + row * static_cast<int>(sizeof(T)) : kOutOfRange;
    });
  }

  // Returns the loads of the tile that begins `advance` bytes further on.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  WT_DEVICE auto fetches(buffer from, int advance) {
    return list_of<kCopies>([=, this](auto n) WT_INLINE {
      unrolled<kLoadsEach>([&](auto i) WT_INLINE {
        constexpr int kN = n * kLoadsEach + i, kB = kN / kColumns, kC = kN % kColumns;
        this->held[kB][kC] = buffer_load<vector>(from, offset[kB], advance + kC * column_bytes);
      });
    });
  }

  // Returns the writes to the LDS tile at byte `address`. The first write of a block leaves its registers to
  // the next fetch.
  //
  // leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: none
  template <int Tile>
  WT_DEVICE auto puts(u32 address) {
    static_assert(Tile == 0, "transposing_copier brings one tile at a time: fetch and put them in turn");
    return list_of<kCopies>([this, address](auto n) WT_INLINE {
      constexpr int kB = n / kVector, kR = n % kVector;
      if constexpr (kR == 0) {
        unrolled<kVector>([&](auto r) WT_INLINE { rows[r] = this->template row_of_block<kB, r>(); });
      }
      ds_write(address + this->place[kB][kR], rows[kR]);
    });
  }

 protected:
  // Makes a copier whose offsets a derived class forms.
  WT_DEVICE transposing_copier() = default;
};

}  // namespace wt

#endif
