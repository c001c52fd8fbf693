// SPDX-License-Identifier: MIT
// A wave reads MFMA operands that run along k from an LDS tile that lies k by k: the reads transpose.
#ifndef WT_OPS_LDS_READER_TR_H
#define WT_OPS_LDS_READER_TR_H

#include "../tiles/lds_access.h"
#include "../tiles/rt.h"
#include "../tiles/st.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "lds_bases.h"
#include "lds_place.h"
#include "list.h"

namespace wt {

// Says where a transposing read finds an operand of Layout in a tile whose rows are k, row_bytes bytes apart.
//
// gfx950 has ds_read_tr: lane number `lane` addresses 8 bytes, or 12 of 6-bit elements, and 16 lanes receive
// the transpose of what they address, kCount consecutive k each. gfx942 has no such instruction: every
// element is a read of its own, and kCount is 1.
template <class T, class Layout, target::chip Chip = target::kChip>
struct transposed_operand {
  static constexpr bool kTransposes = Chip == target::chip::gfx950;
  static_assert(
      is_operand<Layout> && (Layout::kRows == 16 || Layout::kRows == 32),
      "transposed reads give operands of 16 or 32 rows: use natural_operand<T>, or read plainly from a tile "
      "that has k along its rows");
  static_assert(kTransposes || kBits<T> == 16,
                "gfx942 reads elements of 16 bits across the rows of an LDS tile: transpose others before");
  static constexpr lds_op kOp = !kTransposes ? lds_op::read_b32
                                : is_fp6<T>  ? lds_op::read_b96_tr
                                             : lds_op::read_b64_tr;
  static constexpr int kCount = kTransposes ? kTransposedElements<T> : 1;  // k that a lane gets per read
  static constexpr int kBitsInLds = is_fp6<T> ? 8 : kBits<T>;  // of an element; those of 6 bits are spaced
  static constexpr int kReads = Layout::kElements / kCount;    // reads of a fragment
  static constexpr int kLanesPerRow = 16 / kCount;
  static_assert(
      Layout::kRun % kCount == 0,
      "a lane's runs of k must be whole transposed reads: 16 elements of 4 or 6 bits, 8 of 8, 4 of 16");

  static constexpr int k(int lane) { return Layout::column(lane, 0) + lane % 16 / kLanesPerRow; }
  static constexpr int row_of_read(int read) { return Layout::column(0, read * kCount); }
  template <int RowBytes>
  static constexpr int offset(int lane) {
    const int row = Layout::row(lane, 0) / 16 * 16 + lane % kLanesPerRow * kCount;
    return k(lane) * RowBytes + row * kBitsInLds / 8;
  }
};

// This is the access of such a read, for solve_swizzle: it is of whole dwords, which two lanes may share.
// RowBytes is kRowBytes of the tile.
template <class T, class Layout, int RowBytes>
struct read_of_transposed_operand {
  using operand = transposed_operand<T, Layout>;
  static constexpr lds_access access =
      lds_access_of<operand::kOp, [](int lane) { return operand::template offset<RowBytes>(lane) & ~3; }>();
};

// Reads register tiles of type Tile, an rt of operands with k along the columns, from LDS tiles of type ST
// with k along the rows, from k 0 and one of their columns on.
//
// scope: wave; operands: st of type ST, rt of operand, of 16 bits on gfx942; leaves: none; waits: nobody;
// LDS: none; registers: kBases.count; chips: both
template <class ST, class Tile, bank_conflicts Conflicts = bank_conflicts::refused>
struct lds_reader_tr {
  using T = typename ST::element;
  using layout = typename Tile::layout;
  using operand = transposed_operand<T, layout>;
  static constexpr int kReads = operand::kReads;
  static_assert(__is_same(T, typename Tile::element), "the tiles differ in type: convert after reading");
  static_assert(
      !is_fp6<T> || ST::kSpacing == spacing::sixteens,
      "a transposed read wants each 16 elements of 6 bits at a multiple of 16 bytes: give the LDS tile "
      "spacing::sixteens");
  static_assert(Tile::kColumns <= ST::kRows && ST::kColumns % Tile::kRows == 0,
                "the register tile is larger than the LDS tile, or does not divide it evenly");
  static_assert((ST::kRowBytes & (ST::kRowBytes - 1)) == 0 && (Tile::kRows & (Tile::kRows - 1)) == 0,
                "transposed reads want tiles whose sides are powers of two");

  // Returns the bits that lanes and the choice of columns may set in the address, before the swizzle and
  // after it. All other bits are the fragment's.
  static constexpr int variable_bits() {
    int bits = ST::kRowBytes - ST::linear(0, Tile::kRows);
    for (int lane = 0; lane < target::kWaveLanes; ++lane)
      bits |= operand::template offset<ST::kRowBytes>(lane);
    return bits;
  }
  static constexpr int kVariableBits = variable_bits();
  // Returns the constant part of read number n of the register tile.
  static constexpr folded_constant folded(int n) {
    const int read = n % kReads, j = n / kReads % Tile::kWide, i = n / kReads / Tile::kWide;
    return fold_constant(ST::kSwizzle, kVariableBits,
                         ST::linear(j * layout::kColumns + operand::row_of_read(read), i * layout::kRows));
  }
  static constexpr int kReadsOfTile = Tile::kTall * Tile::kWide * kReads;
  static constexpr lds_bases<kReadsOfTile> kBases{[](int n) { return folded(n).bases; }};

  u32 base[kBases.count];

  // Makes a reader of a tile in LDS, or of one at LDS address 0. `column` is the first column to read, a
  // multiple of the register tile's rows.
  WT_DEVICE lds_reader_tr(int column, lds_place<ST> tile = lds_place<ST>(0u)) {
    static_assert(
        Conflicts == bank_conflicts::allowed ||
            conflict_free(target::kChip, operand::kOp, operand::template offset<ST::kRowBytes>, ST::kSwizzle),
        "these reads would have bank conflicts: name read_of_transposed_operand to solve_swizzle; or say "
        "bank_conflicts::allowed");
    const int start =
        swizzled<ST::kSwizzle>(operand::template offset<ST::kRowBytes>(lane_id()) + ST::linear(0, column));
    unrolled<kBases.count>(
        [&](auto b) WT_INLINE { base[b] = tile.address + static_cast<u32>(start ^ kBases.part[b]); });
  }

  // Return this reader for a tile in LDS, and for the tile that lies `offset` bytes further on.
  WT_DEVICE lds_reader_tr at(lds_place<ST> tile) const { return at(tile.address); }
  WT_DEVICE lds_reader_tr at(u32 offset) const {
    lds_reader_tr moved = *this;
    unrolled<kBases.count>([&](auto b) WT_INLINE { moved.base[b] += offset; });
    return moved;
  }

  // Returns the reads of a register tile from the LDS tile that lies `offset` bytes further on.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the tile; registers: none
  WT_DEVICE auto reads(Tile &to, u32 offset = 0) const {
    return reads_at(to, [this, offset](auto b) WT_INLINE { return base[b] + offset; });
  }
  // Returns the same for an offset that is a multiple of ST::kRowBytes, as the reader's own address is, from
  // column Column of it and byte More on. All bases come from one register, by an exclusive or before each
  // read.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the tile; registers: 1
  template <int Column = 0, int More = 0>
  WT_DEVICE auto reads_by_xor(Tile &to, u32 offset) const {
    static constexpr int kColumn = ST::kSwizzle(ST::linear(0, Column));
    static_assert(Column % Tile::kRows == 0 && Column + Tile::kRows <= ST::kColumns,
                  "columns are taken in whole register tiles: choose a multiple of Tile::kRows");
    static_assert(((kBases.bits() | kColumn) & -ST::kRowBytes) == 0,
                  "this swizzle moves bytes to other rows, where an offset adds to the address: use reads");
    return reads_at(to, [first = base[0] + offset](auto b) WT_INLINE {
      return (first ^ static_cast<u32>(kBases.part[b] ^ kBases.part[0] ^ kColumn)) + More;
    });
  }

 private:
  template <class Base>
  WT_DEVICE static auto reads_at(Tile &to, const Base &base_of) {
    return list_of<kReadsOfTile>([base_of, &to](auto n) WT_INLINE {
      static constexpr int kRead = n % kReads, kJ = n / kReads % Tile::kWide, kI = n / kReads / Tile::kWide;
      static constexpr int kImmediate = folded(n).immediate;
      const u32 from = base_of(index<kBases.of_read[n]>{});
      auto &fragment = to.fragment[kI][kJ];
      if constexpr (operand::kTransposes) {
        const auto data = ds_read_tr<T>(from, kImmediate);
        static constexpr int kEach = kValueBytes<transposed_read<T>> / static_cast<int>(sizeof(fragment[0]));
        put_part<kRead * kEach>(fragment, data);
      } else {
        fragment[kRead] = ds_read<T>(from, kImmediate);
      }
    });
  }
};

}  // namespace wt

#endif
