// SPDX-License-Identifier: MIT
// rt is a tile of a matrix in the registers of one wave, made of equal fragments.
#ifndef WT_TILES_RT_H
#define WT_TILES_RT_H

#include "layout.h"

namespace wt {

// This is a tile of Rows x Columns elements of T, whose fragments are laid out as Layout says. No index into
// it may depend on run-time values, because registers have no addresses.
template <class T, int Rows, int Columns, class Layout>
struct rt {
  static_assert(Rows % Layout::kRows == 0,
                "the tile's rows must be a multiple of the fragment's: see Layout::kRows");
  static_assert(Columns % Layout::kColumns == 0,
                "the tile's columns must be a multiple of the fragment's: see Layout::kColumns");
  using element = T;
  using layout = Layout;
  using fragment_type = registers<T, Layout::kElements>;
  static constexpr int kRows = Rows, kColumns = Columns;
  static constexpr int kTall = Rows / Layout::kRows, kWide = Columns / Layout::kColumns;
  static constexpr int kElements = kTall * kWide * Layout::kElements;  // of a lane
  static constexpr int kRegisters = kElements * kBits<T> / 32;         // of a lane

  fragment_type fragment[kTall][kWide];
};

// These are operands and accumulators by their usual names. rt_a<T, M, K> and rt_b<T, N, K> hold k along the
// columns. rt_c holds C as the MFMA leaves it; rt_ct holds its transpose, with 4 consecutive columns of a row
// per lane, which is what row-major stores want. mma_* take either. FragmentRows is 16 or 32.
template <class T, int Rows, int Depth, int FragmentRows = 16>
using rt_a = rt<T, Rows, Depth, natural_operand<T, FragmentRows>>;
template <class T, int Rows, int Depth, int FragmentRows = 16>
using rt_b = rt_a<T, Rows, Depth, FragmentRows>;
template <class T, int Rows, int Columns, int FragmentRows = 16>
using rt_c = rt<T, Rows, Columns, accumulator<FragmentRows, FragmentRows>>;
template <class T, int Rows, int Columns, int FragmentRows = 16>
using rt_ct = rt<T, Rows, Columns, transposed<accumulator<FragmentRows, FragmentRows>>>;

// Sets every element of the tile to zero.
//
// scope: wave; operands: rt of any layout; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE void zero(rt<T, Rows, Columns, Layout> &tile) {
  tile = {};
}

}  // namespace wt

#endif
