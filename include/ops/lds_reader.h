// SPDX-License-Identifier: MIT
// A wave reads fragments from an LDS tile into registers, with addresses that each lane forms once.
#ifndef WT_OPS_LDS_READER_H
#define WT_OPS_LDS_READER_H

#include "../tiles/lds_access.h"
#include "../tiles/rt.h"
#include "../tiles/st.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "lds_bases.h"
#include "lds_place.h"
#include "list.h"
#include "vector_part.h"

namespace wt {

namespace detail {

// `type` is what one read of Bytes bytes brings of elements of T.
template <class T, int Bytes>
struct read_value {
  using type = registers<T, Bytes * 8 / kBits<T>>;
};
template <class T, int Bytes>
  requires(is_fp6<T>)
struct read_value<T, Bytes> {
  using type = unsigned int __attribute__((ext_vector_type(Bytes / 4)));
};

}  // namespace detail

// Reads fragments of Layout from tiles of type ST, from one row on. Every run of a lane is one ds_read, or
// several of 16 bytes where it is longer (of 8 for the 24 bytes of 32 6-bit elements); a few base addresses
// undo the swizzle, and fragments add immediate offsets to them.
//
// scope: wave; operands: st of type ST, rt of Layout; leaves: none; waits: nobody; LDS: none; registers:
// kBases.count; chips: both
template <class ST, class Layout, bank_conflicts Conflicts = bank_conflicts::refused>
struct lds_reader {
  using T = typename ST::element;
  static constexpr int kRunBytes = Layout::kRun * kBits<T> / 8;
  static constexpr int kReadBytes = kRunBytes < 16 ? kRunBytes : kRunBytes % 16 == 0 ? 16 : 8;
  static constexpr int kOfRun = kRunBytes / kReadBytes;                         // reads of a run
  static constexpr int kReads = Layout::kElements * kBits<T> / 8 / kReadBytes;  // reads of a fragment
  static_assert(kReadBytes == 4 || kReadBytes == 8 || kReadBytes == 16,
                "a lane's run must be 4, 8 or 16 bytes to be one ds_read: use natural_operand<T>");
  static_assert(kRunBytes % kReadBytes == 0 && (kReadBytes != 8 || kRunBytes == 8 || is_fp6<T>),
                "a lane's run must be whole reads of 16 bytes: use natural_operand");
  static_assert(
      ST::kSwizzle.period() <= ST::stretched(Layout::kRows * ST::kRowBytes),
      "the swizzle must repeat with each fragment, so that fragments differ by a constant: use fewer rows");
  static_assert(
      ST::kSpacing == spacing::packed,
      "runs of 6-bit elements are read where they are packed: use spacing::packed, or lds_reader_tr");
  static_assert(!is_fp6<T> || ST::kSwizzle == no_swizzle ||
                    ST::kSwizzle.granule() >= ST::stretched(kRunBytes),
                "the swizzle tears the run of a lane apart: use swizzle_for_layout");

  static constexpr lds_op kOp = lds_read_of(kReadBytes);

  // Return the byte in the tile where read number `read` of fragment (i, j) begins, as swizzles count it: the
  // part that all lanes share, and what lane number `lane` adds.
  static constexpr int shared_offset(int i, int j, int read) {
    const int run = Layout::column(0, read / kOfRun * Layout::kRun);
    return ST::stretched(ST::linear(i * Layout::kRows, j * Layout::kColumns + run) +
                         read % kOfRun * kReadBytes);
  }
  static constexpr int lane_offset(int lane) {
    return ST::linear(Layout::row(lane, 0), Layout::column(lane, 0));
  }

  // Returns the bits of the address that depend on the lane. A shared part in these bits needs a base address
  // of its own, but not without a swizzle, where addresses just add up.
  static constexpr int lane_bits() {
    int bits = 0;
    if (ST::kSwizzle == no_swizzle) return bits;
    for (int lane = 0; lane < target::kWaveLanes; ++lane)
      bits |= ST::kSwizzle(ST::stretched(lane_offset(lane)));
    return bits;
  }
  static constexpr int kLaneBits = lane_bits();
  static constexpr int kWide = ST::kColumns / Layout::kColumns;

  // These are the bases of the reads of one row of fragments; the other rows have the same.
  static constexpr lds_bases<kWide * kReads> kBases{
      [](int n) { return ST::kSwizzle(shared_offset(0, n / kReads, n % kReads)) & kLaneBits; }};
  static_assert(
      !is_fp6<T> || kBases.bits() == 0,
      "the reads of 6-bit elements must share one base address: make the tile as wide as a fragment");

  u32 base[kBases.count];

  // Makes a reader of a tile at LDS address 0, whose first row to read is `row`, a multiple of the fragment's
  // rows.
  WT_DEVICE explicit lds_reader(int row) {
    // The parts that all lanes share change nothing about conflicts.
    static constexpr bool kFree =
        ST::kSwizzle.granule() >= lds_granule(kOp) &&
        conflict_free(target::kChip, kOp, [](int lane) { return ST::place(lane_offset(lane)); }, no_swizzle);
    static_assert(
        kFree || Conflicts == bank_conflicts::allowed,
        "these reads would have bank conflicts: give the LDS tile the swizzle that solve_swizzle finds for "
        "them, or swizzle_for_row<its row's bytes>; or say bank_conflicts::allowed");
    const int lane = lane_id();
    const int start = ST::place_of(lane_offset(lane)) + ST::linear(row, 0);
    unrolled<kBases.count>([&](auto b) WT_INLINE { base[b] = static_cast<u32>(start ^ kBases.part[b]); });
  }

  // Return this reader for a tile in LDS, and for the tile that lies `offset` bytes further on.
  WT_DEVICE lds_reader at(lds_place<ST> tile) const { return at(tile.address); }
  WT_DEVICE lds_reader at(u32 offset) const {
    lds_reader moved = *this;
    unrolled<kBases.count>([&](auto b) WT_INLINE { moved.base[b] += offset; });
    return moved;
  }

  // Returns the reads of a whole register tile, whose first row is the reader's and whose first column is
  // Column.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the tile; registers: none
  template <int Column = 0, class Tile>
  WT_DEVICE auto reads(Tile &to) const {
    return reads_at<Column>(to, [from = *this](auto b) WT_INLINE { return from.base[b]; });
  }
  // Returns the same from the tile that lies `offset` bytes further on, a multiple of ST::kRowBytes as the
  // reader's own address is. All bases come from one register, by an exclusive or before each read.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the tile; registers: 1
  template <int Column = 0, class Tile>
  WT_DEVICE auto reads_by_xor(Tile &to, u32 offset) const {
    static_assert((kBases.bits() & -ST::kRowBytes) == 0,
                  "this swizzle moves bytes to other rows, where an offset adds to the address: use reads");
    return reads_at<Column>(to, [first = base[0] + offset](auto b) WT_INLINE {
      return first ^ static_cast<u32>(kBases.part[b] ^ kBases.part[0]);
    });
  }

 private:
  template <int Column, class Tile, class Base>
  WT_DEVICE static auto reads_at(Tile &to, const Base &base_of) {
    using tile = Tile;
    static_assert(
        __is_same(typename Tile::element, T) && __is_same(typename Tile::layout, Layout),
        "the register tile is not what this reader reads: give both the same element type and layout");
    static_assert(Column + Tile::kColumns <= ST::kColumns && Tile::kRows <= ST::kRows,
                  "the register tile is larger than the LDS tile, or reaches past it");
    static_assert(Column % Layout::kColumns == 0,
                  "reads begin with a fragment: choose a column that is a multiple of Layout::kColumns");
    return list_of<tile::kTall * tile::kWide * kReads>([base_of, &to](auto n) WT_INLINE {
      static constexpr int kRead = n % kReads, kI = n / kReads % tile::kTall, kJ = n / kReads / tile::kTall;
      static constexpr int kFrom = Column / Layout::kColumns + kJ;
      static constexpr int kShared = ST::kSwizzle(shared_offset(kI, kFrom, kRead));
      static constexpr int kOffset = ST::compressed(kShared & ~kLaneBits);
      static constexpr int kBase = kBases.of_read[kFrom * kReads + kRead];
      const auto data =
          ds_read<typename detail::read_value<T, kReadBytes>::type>(base_of(index<kBase>{}), kOffset);
      put_run<kRead>(to.fragment[kI][kJ], data);
    });
  }
  template <int Read, class Fragment, class Run>
  WT_DEVICE static void put_run(Fragment &fragment, Run data) {
    if constexpr (kReads == 1) {
      fragment = data;
    } else {
      static constexpr int kItems = kValueBytes<Run> / sizeof(fragment[0]);
      put_part<Read * kItems>(fragment, data);
    }
  }
};

// Reads the whole tile at once. The compiler waits for LDS where it finds the first use.
//
// scope: wave; operands: rt, lds_reader; leaves: lgkmcnt; waits: compiler; LDS: reads the tile; registers:
// none; chips: both
template <class Tile, class ST, class Layout, bank_conflicts Conflicts>
WT_DEVICE void load(Tile &to, const lds_reader<ST, Layout, Conflicts> &from) {
  issue_all(from.reads(to));
}

}  // namespace wt

#endif
