// SPDX-License-Identifier: MIT
// Layouts say which lane holds which matrix element. A layout is a constexpr map (lane, element) -> (row,
// column) of one fragment, the part of a matrix that a wave holds for one MFMA (CDNA4 ISA 7.1.4; the same
// rules hold on CDNA3).
#ifndef WT_TILES_LAYOUT_H
#define WT_TILES_LAYOUT_H

#include "types.h"

namespace wt {

// This is the layout of the A operand of an MFMA, Rows x Depth elements, and equally of B transposed: a lane
// holds runs of Run consecutive columns (k) of one row. One run per lane is the general rule of the ISA;
// 16x16x128 and 32x32x64 with 8-bit elements have two runs of 16.
//
// An MFMA sums over k in any order, as long as A and B agree. So a fragment may be deeper than one
// instruction: the lane's registers then feed several instructions, in order (ops/mma.h).
template <int Rows, int Depth, int Run = Rows * Depth / target::kWaveLanes>
struct operand {
  static_assert(Rows == 16 || Rows == 32 || Rows == 4,
                "MFMA operands have 4, 16 or 32 rows: choose one of these");
  static constexpr int kRows = Rows, kColumns = Depth, kElements = Rows * Depth / target::kWaveLanes;
  static constexpr int kRun = Run;  // consecutive elements of a row
  static_assert(kElements % Run == 0, "a lane's elements must be whole runs: choose a run that divides them");
  static constexpr int row(int lane, int) { return lane % Rows; }
  static constexpr int column(int lane, int element) {
    return element / Run * (Run * target::kWaveLanes / Rows) + Run * (lane / Rows) + element % Run;
  }
};

// This is the layout of the accumulator (C and D) of a 16x16 or 32x32 MFMA: a lane holds groups of 4
// consecutive rows of one column.
template <int Rows, int Columns>
struct accumulator {
  static_assert(Rows == Columns && (Rows == 16 || Rows == 32), "MFMA accumulators are 16x16 or 32x32");
  static constexpr int kRows = Rows, kColumns = Columns, kElements = Rows * Columns / target::kWaveLanes;
  static constexpr int kRun = 1;
  static constexpr int row(int lane, int element) {
    return element / 4 * (4 * target::kWaveLanes / Columns) + 4 * (lane / Columns) + element % 4;
  }
  static constexpr int column(int lane, int) { return lane % Columns; }
};

// This is the layout of the A operand of an MFMA that multiplies several small matrices at once. Blocks pairs
// share the instruction, and a lane's elements may belong to several. block(lane, element) says to which;
// rows and columns count within a block. No tile is made of these layouts; they are for kernels that issue
// the instruction itself (ops/isa/mfma.h).
template <int Rows, int Depth, int Blocks>
struct operand_blocks {
  static constexpr int kRows = Rows, kColumns = Depth, kBlocks = Blocks;
  static constexpr int kElements = Rows * Depth * Blocks / target::kWaveLanes, kRun = kElements;
  static constexpr int block(int lane, int) { return lane / Rows % Blocks; }
  static constexpr int row(int lane, int) { return lane % Rows; }
  static constexpr int column(int lane, int element) { return lane / (Rows * Blocks) * kElements + element; }
};

// This is the layout of the accumulator of an MFMA that multiplies Blocks small matrices at once. Group is
// how many rows of a column lie in consecutive elements of a lane: 4, or 1 for f64. The groups of a column
// are spread over the lanes; blocks lie side by side first where one block does not fill the lanes; the
// remaining groups become elements of the same lane.
template <int Rows, int Columns, int Blocks, int Group = 4>
struct accumulator_blocks {
  static constexpr int kRows = Rows, kColumns = Columns, kBlocks = Blocks;
  static constexpr int kElements = Rows * Columns * Blocks / target::kWaveLanes, kRun = 1;
  static constexpr int kLanesTall = target::kWaveLanes / Columns;
  // kBeside blocks lie side by side; kGroups groups of one block and column lie over the lanes, and a lane
  // holds kBelow groups of one block.
  static constexpr int kBeside = kLanesTall > Rows / Group ? kLanesTall *Group / Rows : 1;
  static constexpr int kGroups = kLanesTall / kBeside;
  static constexpr int kBelow = Rows / (Group * kGroups);
  static constexpr int block(int lane, int element) {
    return lane / Columns % kBeside + kBeside * (element / (Group * kBelow));
  }
  static constexpr int row(int lane, int element) {
    return element % Group + Group * (lane / (Columns * kBeside) + kGroups * (element / Group % kBelow));
  }
  static constexpr int column(int lane, int) { return lane % Columns; }
};

// This is the layout of the transposed matrix in the same registers.
template <class Layout>
struct transposed {
  static constexpr int kRows = Layout::kColumns, kColumns = Layout::kRows, kElements = Layout::kElements;
  static constexpr int row(int lane, int element) { return Layout::column(lane, element); }
  static constexpr int column(int lane, int element) { return Layout::row(lane, element); }
  // Returns how many consecutive elements of a lane lie next to each other in a row.
  static constexpr int run() {
    int count = 1;
    while (count < kElements && row(0, count) == row(0, 0) && column(0, count) == column(0, count - 1) + 1)
      ++count;
    return count;
  }
  static constexpr int kRun = run();
};

// `type` is the layout of the transposed matrix; transposing twice gives the layout itself.
template <class Layout>
struct transpose_of {
  using type = transposed<Layout>;
};
template <class Layout>
struct transpose_of<transposed<Layout>> {
  using type = Layout;
};
// This is transpose_of<Layout>::type.
template <class Layout>
using transpose_t = typename transpose_of<Layout>::type;

// This is the layout of an operand of 8-bit floats for products with block scales, Depth columns deep, where
// that is several instructions: a lane's elements feed one after the other, 32 each. Block b of 32 columns of
// an instruction comes from block b * instructions + its number of the fragment, so that the scales of a lane
// follow each other (tiles/rs.h), and the columns are those that elements of 6 and 4 bits bring.
template <int Rows, int Depth>
struct operand_of_blocks {
  static constexpr int kRows = Rows, kColumns = Depth, kElements = Rows * Depth / target::kWaveLanes;
  static constexpr int kRun = 16;  // consecutive elements of a row
  static constexpr int kInstructions = kElements / 32;
  static constexpr int row(int lane, int) { return lane % Rows; }
  static constexpr int column(int lane, int element) {
    const int half = element % 32 / 16;  // of the instruction's depth, of which each lane has 16 elements
    const int k = half * 16 * target::kWaveLanes / Rows + 16 * (lane / Rows) + element % 16;
    return 32 * (k / 32 * kInstructions + element / 32) + k % 32;
  }
};

// is_operand holds for `operand<...>` and operand_of_blocks, whose k runs along the columns; is_accumulator
// holds for `accumulator<...>`. Neither holds for a transposed layout.
template <class Layout>
constexpr bool is_operand = false;
template <int Rows, int Depth, int Run>
constexpr bool is_operand<operand<Rows, Depth, Run>> = true;
template <int Rows, int Depth>
constexpr bool is_operand<operand_of_blocks<Rows, Depth>> = true;
template <class Layout>
constexpr bool is_accumulator = false;
template <int Rows, int Columns>
constexpr bool is_accumulator<accumulator<Rows, Columns>> = true;

// This is the operand layout that feeds the matrix core best: a lane's elements are read from LDS 16 bytes at
// a time (ds_read_b128). 8-bit floats on gfx950 fill 16x16x128 or 32x32x64, which take 32 bytes per lane, and
// 6-bit ones fill them with 24 (two of ds_read_b96); all other types take 16 bytes per lane, which feed one
// or more instructions.
template <class T, int Rows = 16, target::chip Chip = target::kChip>
using natural_operand =
    operand<Rows,
            is_fp6<T> ? 2048 / Rows
                      : (is_fp8<T> &&Chip == target::chip::gfx950 ? 2 : 1) * 1024 * 8 / (kBits<T> * Rows),
            is_fp6<T> ? 32 : 16 * 8 / kBits<T>>;

// This is the layout in which a wave best moves 32 rows between memory and registers, if they are Columns
// wide or a multiple of it. L1 takes 64 bytes of an instruction's data at a time, and looks up each line
// among them (docs/timing.md). Here four lanes beside each other have 64 bytes of one row. Where rows are so
// wide, the lanes 32 further on have the next 64, so that an instruction moves whole lines. convert_layout
// brings a tile to and from the layouts of MFMAs of 32 rows without a permutation of lanes.
template <class T, int Columns>
struct memory_rows {
  static constexpr int kRun = 16 * 8 / kBits<T>;  // consecutive elements of a row
  static_assert(Columns % (4 * kRun) == 0,
                "four lanes take 64 bytes of a row: make the tile a multiple of that wide");
  static constexpr bool kIsWide = Columns % (8 * kRun) == 0;
  static constexpr int kRows = 32, kColumns = (kIsWide ? 8 : 4) * kRun,
                       kElements = kRows * kColumns / target::kWaveLanes;
  static constexpr int row(int lane, int element) {
    return lane / 4 % 8 * 4 + (kIsWide ? 0 : lane / 32 * 2) + element / kRun;
  }
  static constexpr int column(int lane, int element) {
    return (lane % 4 + (kIsWide ? lane / 32 * 4 : 0)) * kRun + element % kRun;
  }
};

// `type` is the operand layout of products with block scales, Depth columns deep: a lane's elements feed
// Depth
// * Rows / 2048 instructions in turn. Its groups of 32 columns that share a scale follow each other in a
// lane, so that their scales do, too (tiles/rs.h).
template <class T, int Depth, int Rows>
struct scaled_operand_of {
  using type = operand<Rows, Depth, Depth * Rows / target::kWaveLanes>;
};
template <class T, int Depth, int Rows>
  requires(is_fp8<T>)
struct scaled_operand_of<T, Depth, Rows> {
  using type = operand_of_blocks<Rows, Depth>;
};
// This is scaled_operand_of<T, Depth, Rows>::type.
template <class T, int Depth, int Rows = 16>
using scaled_operand = typename scaled_operand_of<T, Depth, Rows>::type;

}  // namespace wt

#endif
