// SPDX-License-Identifier: MIT
// A wave reads MFMA operands from the rows of a matrix in global memory straight into registers, 16 bytes per
// lane and load, for operands that no other wave wants.
#ifndef WT_OPS_ROW_READER_H
#define WT_OPS_ROW_READER_H

#include "../tiles/gl.h"
#include "../tiles/rt.h"
#include "isa/global.h"
#include "isa/ids.h"
#include "list.h"
#include "vector_part.h"

namespace wt {

// Reads register tiles of type Tile, operands with k along the columns, one after the other along the rows of
// a matrix at any alignment. Rows past its end read its last row again: what they give reaches only elements
// of the result that do not exist.
//
// scope: wave; operands: gl of row-major rows, rt of operand; leaves: none; waits: nobody; LDS: none;
// registers: 2 * Tile::kTall; chips: both
template <class Tile>
struct row_reader {
  using T = typename Tile::element;
  using layout = typename Tile::layout;
  static constexpr int kRuns = layout::kElements / layout::kRun;  // runs of a fragment
  static constexpr int kLoads = Tile::kTall * Tile::kWide * kRuns;
  using run = registers<T, layout::kRun>;
  static_assert(sizeof(run) == 16, "a lane's runs must be 16 bytes to be one load: use natural_operand<T>");

  const char *row[Tile::kTall];  // the lane's row, for each row of fragments

  // Makes a reader of the tiles from the first element of `matrix` on, which must have column_stride 1 and at
  // least one row.
  WT_DEVICE explicit row_reader(const gl<const T> &matrix) {
    const int lane = lane_id();
    unrolled<Tile::kTall>([&](auto i) WT_INLINE {
      const int r = i * layout::kRows + layout::row(lane, 0);
      row[i] = reinterpret_cast<const char *>(matrix.data +
                                              (r < matrix.rows ? r : matrix.rows - 1) * matrix.row_stride +
                                              layout::column(lane, 0));
    });
  }

  // Moves on by `bytes` in every row.
  WT_DEVICE void advance(long long bytes) {
    unrolled<Tile::kTall>([&](auto i) WT_INLINE { row[i] += bytes; });
  }

  // Returns the loads of the tile that begins Offset bytes further on in the rows, all of whose columns lie
  // inside them. A small offset fits into the instruction.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  template <int Offset = 0>
  WT_DEVICE auto reads(Tile &to) const {
    return list_of<kLoads>([this, &to](auto n) WT_INLINE {
      put<n>(to, global_load<u32x4>(row[n / kRuns / Tile::kWide] + Offset + column_of(n) * kBytes));
    });
  }

  // Loads the tile when only `columns` of its columns, at least 1, lie inside the rows, and sets the others
  // to zero. `before` is how many columns the rows have before the tile.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  WT_DEVICE void load_masked(Tile &to, int columns, int before) const {
    static constexpr int kRun = layout::kRun;
    const int first = layout::column(lane_id(), 0);
    // It loads sixteen bytes that end with the row and moves them down; where the row has fewer, it loads one
    // element at a time.
    if (before + columns >= kRun) {
      unrolled<kLoads>([&](auto n) WT_INLINE {
        const int past = first + column_of(n) + kRun - columns, over = past < 0 ? 0 : past;
        const auto data =
            global_load<unsigned __int128>(row[n / kRuns / Tile::kWide] + (column_of(n) - over) * kBytes);
        put<n>(to, __builtin_bit_cast(u32x4, over < kRun ? data >> (over * kBits<T>) : 0));
      });
    } else {
      zero(to);
      unrolled<Tile::kTall>([&](auto i) WT_INLINE {
        unsigned __int128 data = 0;
        if (first == 0) {
#pragma unroll 1
          for (int c = columns - 1; c >= 0; --c) {
            data = data << kBits<T> | global_load<element_bits>(row[i] + c * kBytes);
          }
        }
        put<i * Tile::kWide * kRuns>(to, __builtin_bit_cast(u32x4, data));
      });
    }
  }

 private:
  static constexpr int kBytes = kBits<T> / 8;
  using element_bits = decltype([] {
    if constexpr (kBits<T> == 8) {
      return static_cast<unsigned char>(0);
    } else {
      return static_cast<unsigned short>(0);
    }
  }());

  // Returns the column of load number n in the tile, without the lane's part.
  static constexpr int column_of(int n) {
    return n / kRuns % Tile::kWide * layout::kColumns + layout::column(0, n % kRuns * layout::kRun);
  }
  template <int N>
  WT_DEVICE static void put(Tile &to, u32x4 bits) {
    static constexpr int kRun = N % kRuns, kJ = N / kRuns % Tile::kWide, kI = N / kRuns / Tile::kWide;
    auto &fragment = to.fragment[kI][kJ];
    const auto data = __builtin_bit_cast(run, bits);
    static constexpr int kEach = sizeof(run) / sizeof(fragment[0]);
    put_part<kRun * kEach>(fragment, data);
  }
};

}  // namespace wt

#endif
