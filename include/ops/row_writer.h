// SPDX-License-Identifier: MIT
// A wave writes an accumulator to global memory by rows: one that is held transposed (rt_ct) has runs of
// columns per lane, which go out as wide stores.
#ifndef WT_OPS_ROW_WRITER_H
#define WT_OPS_ROW_WRITER_H

#include "../tiles/gl.h"
#include "../tiles/row_order.h"
#include "../tiles/rt.h"
#include "isa/buffer.h"
#include "isa/convert.h"
#include "isa/crosslane.h"
#include "isa/ids.h"
#include "list.h"
#include "memory_of.h"
#include "vector_part.h"

namespace wt {

// Returns `scale` times four sums as elements of Out. Sums are neither scaled nor converted to i32.
//
// scope: lane; operands: four f32 or i32; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
template <class Out, class Sums>
WT_DEVICE registers<Out, 4> narrowed(Sums sums, float scale) {
  static_assert(is_one_of<Out, f32, f16, bf16, i32>,
                "sums are stored as f32, f16, bf16 or i32: name one of these");
  if constexpr (__is_same(Out, i32)) {
    return sums;
  } else {
    return __builtin_convertvector(__builtin_convertvector(sums, f32x4) * scale, registers<Out, 4>);
  }
}

// Writes tiles to a row-major matrix of Out, 16 rows with a store. In fragments of 16x16, a lane holds four
// columns of a row, which are 16 bytes when Out has 32 bits. When Out has 16 bits, gfx950 exchanges halves
// between two neighbouring fragments (v_permlane16_swap), so that a lane stores 16 bytes of one row; else a
// store has 8 bytes. Fragments of 32x32 are exchanged into the same order, as L2 takes whole 64 bytes of a
// row best.
//
// Order is that of the tile's rows and columns. Interleaved ones are stored where they belong: fragments
// beside each other exchange halves, which are other registers, and rows get other addresses.
//
// The hardware drops rows and columns past the end of the matrix. Rows must be aligned to 16 bytes, and the
// number of columns must be a multiple of the store's (row_store_fits).
//
// scope: wave; operands: gl of row-major rows, rt_ct of 16x16 fragments, on gfx950 also of 32x32; leaves:
// none; waits: nobody; LDS: none; registers: 4 scalar, 1 and kStores; chips: both
template <class Out, class Tile, row_order Order = row_order::natural>
struct row_writer {
  static constexpr int kSize = Tile::layout::kRows;  // of a fragment
  static_assert(__is_same(typename Tile::layout, transposed<accumulator<kSize, kSize>>),
                "row_writer stores tiles held as rt_ct: make the accumulator an rt_ct");
  static_assert(kSize == 16 || target::kGfx950,
                "gfx942 cannot exchange the rows of 32x32 fragments: use fragments of 16x16");
  static_assert(
      Order == row_order::natural || (kSize == 32 && Tile::kRows % 64 == 0 && Tile::kColumns % 64 == 0),
      "rows are interleaved in every 64: make the tile whole 64 rows and columns of 32x32 fragments");
  static constexpr bool kPacked = sizeof(Out) == 2 && target::kGfx950 && Tile::kColumns % 32 == 0;
  static constexpr int kColumnsOfStore = kPacked ? 32 : 16;
  static constexpr int kStores = Tile::kColumns / kColumnsOfStore;  // of 16 rows
  static constexpr int kStoresOfTile = Tile::kRows / 16 * kStores;
  // Stores that are made of the same sums: with fragments of 32x32, those of their upper and lower 16 rows.
  static constexpr int kTogether = kSize / 16;
  using bits = registers<Out, kPacked ? 8 : 4>;
  using together = bits[kTogether];

  // Returns fragment (I, J) of a tile. This is a function for round_together: a type, so that all stores
  // share what is compiled for it.
  struct fragments_of {
    const Tile &tile;
    template <int I, int J>
    WT_DEVICE auto operator()(index<I>, index<J>) const {
      return tile.fragment[I][J];
    }
  };
  // Returns `scale` times four sums as elements of Out. This is a function for round_together, too.
  struct scaled {
    float scale;
    template <class Sums>
    WT_DEVICE auto operator()(Sums sums) const {
      return narrowed<Out>(sums, scale);
    }
  };

  buffer to;
  int row_step_bytes;   // from 16 rows to the next
  int offset[kStores];  // bytes to this lane's run, for each store of 16 rows

  // Makes a writer for the tile whose first element is that of `matrix`.
  WT_DEVICE explicit row_writer(const gl<Out> &matrix) : to(memory_of(matrix, Tile::kRows)) {
    const int row = lane_id() % 16 * matrix.row_bytes();
    row_step_bytes = 16 * matrix.row_bytes();
    unrolled<kStores>([&](auto s) WT_INLINE {
      const int column = column_of(s);
      offset[s] = column < matrix.columns ? row + column * static_cast<int>(sizeof(Out)) : kOutOfRange;
    });
  }

  // Returns the first column of this lane's run, for store number `store` of 16 rows.
  WT_DEVICE static int column_of(int store) {
    const int group = lane_id() / 16;
    const int start = kPacked       ? 16 * (group % 2) + 8 * (group / 2)
                      : kSize == 32 ? 8 * (group % 2) + 4 * (group / 2)
                                    : 4 * group;
    return kColumnsOfStore * store + start;
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
    static constexpr int kI = N / kStores;
    together all;
    round_together<kI / kTogether * kStores + N % kStores>(all, fragments_of{tile}, scaled{scale});
    return all[kI % kTogether];
  }
  // Sets `all` to what the stores of group G write, which are made of the same sums, for a tile whose
  // fragment (i, j) is fragment(i, j). narrow makes four elements of Out, or others of as many bits, of four
  // sums.
  template <int G, class Fragments, class Narrow>
  WT_DEVICE static void round_together(together &all, const Fragments &fragment, const Narrow &narrow) {
    static constexpr int kI = G / kStores, kS = G % kStores;
    if constexpr (kSize == 32 && kPacked) {
      rows_of_32(all, in_order<kI, kS>(fragment), narrow);
    } else if constexpr (kSize == 32) {
      rows_of_32<2 * (kS % 2)>(all, in_order<kI, kS / 2>(fragment), narrow);
    } else if constexpr (kPacked) {
      auto x = __builtin_bit_cast(u32x2, narrow(fragment(index<kI>{}, index<2 * kS>{})));
      auto y = __builtin_bit_cast(u32x2, narrow(fragment(index<kI>{}, index<2 * kS + 1>{})));
      swap<16>(x, y);
      all[0] = __builtin_bit_cast(bits, u32x4{x[0], x[1], y[0], y[1]});
    } else {
      all[0] = __builtin_bit_cast(bits, narrow(fragment(index<kI>{}, index<kS>{})));
    }
  }
  // Returns the number of store `part` of group G.
  static constexpr int number_of(int group, int part) {
    return (group / kStores * kTogether + part) * kStores + group % kStores;
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
    return offset[N % kStores] + ordered_row<Order>(N / kStores * 16) / 16 * row_step_bytes;
  }
  // Returns the columns of fragment (I, J) of the matrix, of the tile's rows.
  template <int I, int J, class Fragments>
  WT_DEVICE static auto in_order(const Fragments &fragment) {
    if constexpr (Order == row_order::natural) {
      return fragment(index<I>{}, index<J>{});
    } else {
      const auto left = fragment(index<I>{}, index<J / 2 * 2>{});
      const auto right = fragment(index<I>{}, index<J / 2 * 2 + 1>{});
      static constexpr int kHalf = Tile::layout::kElements / 2, kFirst = J % 2 * kHalf;
      auto all = left;
      unrolled<kHalf>([&](auto e) WT_INLINE {
        all[e.value] = left[kFirst + e.value], all[kHalf + e.value] = right[kFirst + e.value];
      });
      return all;
    }
  }
  // Exchanges a of the odd groups of Lanes lanes with b of the even ones before them.
  template <int Lanes, class V>
  WT_DEVICE static void swap(V &a, V &b) {
    unrolled<kValueBytes<V> / 4>([&](auto i) WT_INLINE {
      if constexpr (Lanes == 16) {
        permlane16_swap<i.value>(a, b);
      } else {
        permlane32_swap<i.value>(a, b);
      }
    });
  }
  // Sets `all` to the stores of the upper and the lower 16 rows of a fragment of 32x32. A lane holds its
  // columns in fours that are 8 columns apart; where Out has 32 bits, the stores are of two of them, from
  // number First on.
  template <int First = 0, class Fragment, class Narrow>
  WT_DEVICE static void rows_of_32(together &all, const Fragment &fragment, const Narrow &narrow) {
    const auto four = [&](auto n) WT_INLINE {
      using part = registers<typename Tile::element, 4>;
      return narrow(vector_part<part, 4 * (First + n)>(fragment));
    };
    u32x4 x, y;
    if constexpr (kPacked) {
      auto a = __builtin_bit_cast(u32x2, four(index<0>{})), b = __builtin_bit_cast(u32x2, four(index<1>{}));
      auto c = __builtin_bit_cast(u32x2, four(index<2>{})), d = __builtin_bit_cast(u32x2, four(index<3>{}));
      swap<32>(a, b), swap<32>(c, d);
      x = {a[0], a[1], b[0], b[1]}, y = {c[0], c[1], d[0], d[1]};
    } else {
      x = __builtin_bit_cast(u32x4, four(index<0>{})), y = __builtin_bit_cast(u32x4, four(index<1>{}));
    }
    swap<16>(x, y);
    all[0] = __builtin_bit_cast(bits, x), all[1] = __builtin_bit_cast(bits, y);
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
