// SPDX-License-Identifier: MIT
// Blocks of rows of several matrices on their way through LDS, a few of them at once, which a wave reads both
// ways: along their rows, and across.
#ifndef WT_OPS_STAGED_BLOCKS_H
#define WT_OPS_STAGED_BLOCKS_H

#include "../tiles/row_swizzle.h"
#include "lds_copier.h"
#include "lds_reader.h"
#include "lds_reader_tr.h"

namespace wt {

// Block j, Rows x Columns of each of Matrices matrices, is in stage j % Stages. Operands of 32 rows, read in
// parts: along the rows, RowPart columns at once, k being the column; and across, ColumnPart columns of half
// a block at once, k being the row, in the order that accumulators have their rows in. Neither has bank
// conflicts, and each part's addresses come from one register per direction.
template <class T, int Rows, int Columns, int Matrices, int Stages, int RowPart, int ColumnPart>
struct staged_blocks {
  using row_tile = rt_b<T, Rows, RowPart, 32>;
  using column_tile = rt<T, ColumnPart, Rows / 2, operand<32, 16, 4>>;
  static constexpr int kRowBytes = Columns * kBits<T> / 8, kMatrices = Matrices;
  static constexpr int kStages = Stages, kRowParts = Columns / RowPart, kColumnParts = Columns / ColumnPart;
  template <int Height>
  using tile = st<T, Height, Columns,
                  solve_row_swizzle<kRowBytes, direct_copy_access, read_of_operand<32, kRowBytes>,
                                    read_of_transposed_operand<T, operand<32, 16, 4>, kRowBytes>>>;
  using block = tile<Rows>;
  using half_block = tile<Rows / 2>;
  struct memory {
    block stage[Stages][Matrices];
  };

  lds_reader<block, typename row_tile::layout> along;
  lds_reader_tr<half_block, column_tile> across;

  WT_DEVICE explicit staged_blocks(const memory &at)
      : along(lds_reader<block, typename row_tile::layout>(0).at(lds_address(&at))),
        across(0, lds_address(&at)) {}

  WT_DEVICE static u32 stage_of(int j) { return static_cast<u32>(j) % Stages; }

  // The reads of part Part of the rows of matrix I of block j.
  template <int I, int Part>
  WT_DEVICE auto row_reads(row_tile &to, int j) const {
    return along.template reads_by_xor<Part * RowPart>(to, offset_of(j, I));
  }
  // Of part Part of the columns, in half Half of the block.
  template <int I, int Part, int Half>
  WT_DEVICE auto column_reads(column_tile &to, int j) const {
    return across.template reads_by_xor<Part * ColumnPart, Half *static_cast<int>(sizeof(half_block))>(
        to, offset_of(j, I));
  }

 private:
  WT_DEVICE static u32 offset_of(int j, u32 matrix) {
    return (stage_of(j) * Matrices + matrix) * static_cast<u32>(sizeof(block));
  }
};

}  // namespace wt

#endif
