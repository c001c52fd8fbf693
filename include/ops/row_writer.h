// SPDX-License-Identifier: MIT
// A wave writes an accumulator to global memory by rows: one that is held transposed (rt_ct) has runs of
// columns per lane, which go out as wide stores.
#ifndef WT_OPS_ROW_WRITER_H
#define WT_OPS_ROW_WRITER_H

#include "../tiles/gl.h"
#include "../tiles/rt.h"
#include "isa/buffer.h"
#include "isa/convert.h"
#include "isa/crosslane.h"
#include "isa/ids.h"
#include "list.h"
#include "memory_of.h"

namespace wt {

// Returns `scale` times four sums as elements of Out. Those of i32 are neither scaled nor converted to i32.
//
// scope: lane; operands: four f32 or i32; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
template <class Out, class Sums>
WT_DEVICE registers<Out, 4> narrowed(Sums sums, float scale) {
  if constexpr (__is_same(Out, i32)) {
    return sums;
  } else {
    const f32x4 value = __builtin_convertvector(sums, f32x4) * scale;
    return registers<Out, 4>{from_f32<Out>(value[0]), from_f32<Out>(value[1]), from_f32<Out>(value[2]),
                             from_f32<Out>(value[3])};
  }
}

// Writes tiles of 16x16 fragments to a row-major matrix of Out. A lane holds four columns of a row, which are
// 16 bytes when Out has 32 bits. When Out has 16 bits, gfx950 exchanges halves between two neighbouring
// fragments (v_permlane16_swap), so that a lane stores 16 bytes of one row; else a store has 8 bytes.
//
// The hardware drops rows and columns past the end of the matrix. Rows must be aligned to 16 bytes, and the
// number of columns must be a multiple of the store's (row_store_fits).
//
// scope: wave; operands: gl of row-major rows, rt_ct of 16x16 fragments; leaves: none; waits: nobody; LDS:
// none; registers: 4 scalar, 1 and kStores; chips: both
template <class Out, class Tile>
struct row_writer {
  static_assert(__is_same(typename Tile::layout, transposed<accumulator<16, 16>>),
                "row_writer stores tiles held as rt_ct of 16x16 fragments: make the accumulator an rt_ct");
  static constexpr bool kPacked = sizeof(Out) == 2 && target::kGfx950 && Tile::kWide % 2 == 0;
  static constexpr int kPerStore = kPacked ? 2 : 1;  // fragments per store
  static constexpr int kStores = Tile::kWide / kPerStore, kStoresOfTile = Tile::kTall * kStores;
  using bits = registers<Out, 4 * kPerStore>;

  buffer to;
  int row_step;         // bytes from a fragment to the one below
  int offset[kStores];  // bytes to this lane's run, for each store of a row of fragments

  // Makes a writer for the tile whose first element is that of `matrix`.
  WT_DEVICE explicit row_writer(const gl<Out> &matrix) : to(memory_of(matrix, Tile::kRows)) {
    const int lane = lane_id(), group = lane / 16;
    const int start = kPacked ? 16 * (group % 2) + 8 * (group / 2) : 4 * group;
    const int row = lane % 16 * matrix.row_bytes();
    row_step = 16 * matrix.row_bytes();
    unrolled<kStores>([&](auto s) WT_INLINE {
      const int column = 16 * kPerStore * s + start;
      offset[s] = column < matrix.columns ? row + column * static_cast<int>(sizeof(Out)) : kOutOfRange;
    });
  }

  // Returns the stores of `scale` times the tile.
  //
  // leaves: vmcnt; waits: nobody; registers: none
  WT_DEVICE auto stores(const Tile &tile, float scale) const {
    return list_of<kStoresOfTile>([this, &tile, scale](auto n) WT_INLINE {
      const int at = this->template place<n>();
      buffer_store(to, at, this->template rounded<n>(tile, scale));
    });
  }

  // Returns what store number N writes, the first of two parts of the same, with as much time between them as
  // the schedule likes.
  template <int N>
  WT_DEVICE static bits rounded(const Tile &tile, float scale) {
    return rounded_by<N>([&](auto i, auto j) WT_INLINE { return narrowed<Out>(tile.fragment[i][j], scale); });
  }
  // Does the same with four values of Out, or others of as many bits, that narrow(i, j) makes of fragment
  // (i, j).
  template <int N, class Narrow>
  WT_DEVICE static bits rounded_by(const Narrow &narrow) {
    constexpr int kI = N / kStores, kS = N % kStores;
    if constexpr (kPacked) {
      const auto x = __builtin_bit_cast(u32x2, narrow(index<kI>{}, index<2 * kS>{}));
      const auto y = __builtin_bit_cast(u32x2, narrow(index<kI>{}, index<2 * kS + 1>{}));
      u32 x0 = x[0], x1 = x[1], y0 = y[0], y1 = y[1];
      permlane16_swap(x0, y0);
      permlane16_swap(x1, y1);
      return __builtin_bit_cast(bits, u32x4{x0, x1, y0, y1});
    } else {
      return __builtin_bit_cast(bits, narrow(index<kI>{}, index<kS>{}));
    }
  }
  // Stores it, the second part.
  //
  // leaves: vmcnt; waits: nobody; registers: none
  template <int N>
  WT_DEVICE void store(bits values) const {
    buffer_store(to, place<N>(), values);
  }

 private:
  template <int N>
  WT_DEVICE int place() const {
    return offset[N % kStores] + N / kStores * row_step;
  }
};

// Returns whether row_writer may write this matrix: its rows must be whole stores at multiples of their size,
// and near enough to each other for a tile of `tall` rows.
//
// scope: wave; operands: gl; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <class Out>
WT_DEVICE bool row_store_fits(const gl<Out> &matrix, int tall) {
  return matrix.rows_aligned(16) && matrix.columns % (16 / static_cast<int>(sizeof(Out))) == 0 &&
         matrix.fits_buffer(tall);
}

}  // namespace wt

#endif
