// SPDX-License-Identifier: MIT
// A wave writes a register tile into an LDS tile.
#ifndef WT_OPS_LDS_STORE_H
#define WT_OPS_LDS_STORE_H

#include "../tiles/lds_access.h"
#include "../tiles/rt.h"
#include "../tiles/st.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "list.h"
#include "vector_part.h"

namespace wt {

// This is the access of a store of fragments of Layout, for solve_swizzle, to a tile whose rows have RowBytes
// bytes. A lane writes runs of up to 16 bytes; longer ones go out 16 bytes at a time.
template <class T, class Layout, int RowBytes>
struct write_of_fragment {
  static constexpr int kRunBytes = Layout::kRun * kBits<T> / 8;
  static constexpr lds_op kOp = kRunBytes >= 16  ? lds_op::write_b128
                                : kRunBytes == 8 ? lds_op::write_b64
                                                 : lds_op::write_b32;
  static constexpr lds_access access = lds_access_of<kOp, [](int lane) {
    return Layout::row(lane, 0) * RowBytes + Layout::column(lane, 0) * kBits<T> / 8;
  }>();
};

// Writes the tile to `to` from element (row, column) on; both must be multiples of the tile's size. The
// layout's runs go out as ds_write_b128, b64 or b32. A barrier must come before other waves read it.
//
// scope: wave; operands: st of any swizzle, rt with runs of 4, 8 or 16 bytes; leaves: lgkmcnt; waits: caller;
// LDS: writes the tile; registers: addresses; chips: both
template <bank_conflicts Conflicts = bank_conflicts::refused, class T, class U, int TileRows, int TileColumns,
          swizzle S, int Rows, int Columns, class Layout>
WT_DEVICE void store(st<U, TileRows, TileColumns, S> &to, const rt<T, Rows, Columns, Layout> &from, int row,
                     int column) {
  static_assert(__is_same(U, T),
                "the register tile and the LDS tile differ in type: copy the register tile to one of the LDS "
                "tile's type first (elementwise.h; convert for 8 bits), and store that");
  using lds = st<U, TileRows, TileColumns, S>;
  using tile = rt<T, Rows, Columns, Layout>;
  static constexpr int kRun = Layout::kRun * kBits<T> / 8 <= 16 ? Layout::kRun : 16 * 8 / kBits<T>;
  static constexpr int kRunBytes = kRun * kBits<T> / 8, kRuns = Layout::kElements / kRun;
  static_assert(
      kRunBytes == 4 || kRunBytes == 8 || kRunBytes == 16,
      "a lane's run must be 4, 8 or 16 bytes to be one ds_write: store the transpose, or convert the layout");
  using run = registers<T, kRun>;
  static constexpr lds_op kOp = kRunBytes == 16  ? lds_op::write_b128
                                : kRunBytes == 8 ? lds_op::write_b64
                                                 : lds_op::write_b32;
  static constexpr bool kFree = conflict_free(
      target::kChip, kOp, [](int lane) { return lds::linear(Layout::row(lane, 0), Layout::column(lane, 0)); },
      S);
  static_assert(
      kFree || Conflicts == bank_conflicts::allowed,
      "these writes would have bank conflicts: give the LDS tile the swizzle that solve_swizzle finds for "
      "them; or say bank_conflicts::allowed");
  const int lane = lane_id(),
            start = lds::linear(row, column) + lds::linear(Layout::row(lane, 0), Layout::column(lane, 0));
  const u32 base = lds_address(&to);
  unrolled<tile::kTall * tile::kWide * kRuns>([&](auto n) WT_INLINE {
    static constexpr int kR = n % kRuns, kJ = n / kRuns % tile::kWide, kI = n / kRuns / tile::kWide;
    static constexpr int kAt = lds::linear(kI * Layout::kRows + Layout::row(0, kR * kRun),
                                           kJ * Layout::kColumns + Layout::column(0, kR * kRun));
    run data;
    if constexpr (kRuns == 1) {
      data = __builtin_bit_cast(run, from.fragment[kI][kJ]);
    } else {
      data = vector_part<run, kR *static_cast<int>(sizeof(run) / sizeof(data[0]))>(from.fragment[kI][kJ]);
    }
    ds_write(base + static_cast<u32>(swizzled<S>(start + kAt)), data);
  });
}

}  // namespace wt

#endif
