// SPDX-License-Identifier: MIT
// Keeps blocks of rows of several matrices in stages of LDS, a few at once, which a wave reads both along
// their rows and across them.
#ifndef WT_KERNELS_ATTENTION_STAGED_BLOCKS_H
#define WT_KERNELS_ATTENTION_STAGED_BLOCKS_H

#include "wavetile_device.h"

// Block j, which has Rows x Columns elements of each of Matrices matrices, is in stage j % Stages. A wave
// reads it as operands of 32 rows, in parts: along the rows RowPart columns at once, where k is the column;
// and across them ColumnPart columns of half a block at once, where k is the row, in the order that
// accumulators have their rows in. Neither has bank conflicts, and each part's addresses come from one
// register per direction.
//
// scope: wave; operands: st of the blocks, rt_b and rt of operand; leaves: none; waits: nobody; LDS:
// attention_staged_blocks::memory; registers: those of both readers; chips: both
template <class T, int Rows, int Columns, int Matrices, int Stages, int RowPart, int ColumnPart>
struct attention_staged_blocks {
  using row_tile = wt::rt_b<T, Rows, RowPart, 32>;
  using column_tile = wt::rt<T, ColumnPart, Rows / 2, wt::operand<32, 16, 4>>;
  static constexpr int kRowBytes = Columns * wt::kBits<T> / 8, kMatrices = Matrices;
  static constexpr int kStages = Stages, kRowParts = Columns / RowPart, kColumnParts = Columns / ColumnPart;
  template <int Height>
  using tile =
      wt::st<T, Height, Columns,
             wt::solve_row_swizzle<kRowBytes, wt::direct_copy_access, wt::read_of_operand<32, kRowBytes>,
                                   wt::read_of_transposed_operand<T, wt::operand<32, 16, 4>, kRowBytes>>>;
  using block = tile<Rows>;
  using half_block = tile<Rows / 2>;
  struct memory {
    block stage[Stages][Matrices];
  };

  using row_reader = wt::lds_reader<block, typename row_tile::layout>;
  using column_reader = wt::lds_reader_tr<half_block, column_tile>;
  // These say how many reads a part of the rows takes, and one of the columns.
  static constexpr int kRowReads = row_tile::kTall * row_tile::kWide * row_reader::kReads,
                       kColumnReads = column_reader::kReadsOfTile;

  row_reader along;
  column_reader across;

  // Makes readers of the blocks in `at`.
  WT_DEVICE explicit attention_staged_blocks(const memory &at)
      : along(row_reader(0).at(wt::lds_parts<block>(at))), across(0, wt::lds_parts<half_block>(at)) {}

  // Returns the stage of block j.
  WT_DEVICE static wt::u32 stage_of(int j) { return static_cast<wt::u32>(j) % Stages; }

  // Returns the reads of part Part of the rows of matrix I of block j.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the block; registers: 1
  template <int I, int Part>
  WT_DEVICE auto row_reads(row_tile &to, int j) const {
    return along.template reads_by_xor<Part * RowPart>(to, offset_of(j, I));
  }
  // Returns the reads of part Part of the columns, in half Half of the block.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the block; registers: 1
  template <int I, int Part, int Half>
  WT_DEVICE auto column_reads(column_tile &to, int j) const {
    return across.template reads_by_xor<Part * ColumnPart, Half *static_cast<int>(sizeof(half_block))>(
        to, offset_of(j, I));
  }

 private:
  WT_DEVICE static wt::u32 offset_of(int j, wt::u32 matrix) {
    return (stage_of(j) * Matrices + matrix) * static_cast<wt::u32>(sizeof(block));
  }
};

#endif
