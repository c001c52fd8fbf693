// SPDX-License-Identifier: MIT
// A wave writes sums to global memory in a narrow type, in whole lines.
//
// scope: wave; operands: rt_ct of f32, gl; leaves: vmcnt; waits: nobody; LDS: none; registers: the rounded
// tile; chips: both
#ifndef WT_OPS_ROUNDED_STORE_H
#define WT_OPS_ROUNDED_STORE_H

#include "convert_layout.h"
#include "convert_tile.h"
#include "elementwise.h"
#include "global_tile.h"
#include "pinned_tile.h"

namespace wt {

// Writes a tile of accumulators held transposed (rt_ct), rounded to T, to the part of a matrix that begins at
// element (row, column), and drops what lies outside. Lanes exchange elements first, so that those beside
// each other have a row's.
template <class T, int Rows, int Columns, int Size>
WT_DEVICE void store_rounded(const gl<T> &to,
                             const rt<f32, Rows, Columns, transposed<accumulator<Size, Size>>> &from, int row,
                             int column) {
  rt<T, Rows, Columns, transposed<accumulator<Size, Size>>> rounded;
  rt<T, Rows, Columns, memory_rows<T, Columns>> lines;
  convert(rounded, from);
  convert_layout(lines, rounded);
  store(to, lines, row, column);
}

// Writes `factor` times the tile, or tiles side by side from column 0 on; they may be pinned.
template <class T, class Tile>
WT_DEVICE void store_scaled(const gl<T> &to, Tile &from, f32 factor, int row, int column = 0) {
  auto scaled = release(from);
  mul(scaled, scaled, factor);
  store_rounded(to, scaled, row, column);
}
template <class T, class Tile, int N>
WT_DEVICE void store_scaled(const gl<T> &to, Tile (&from)[N], f32 factor, int row) {
  unrolled<N>([&](auto i) WT_INLINE { store_scaled(to, from[i.value], factor, row, i * Tile::kColumns); });
}

}  // namespace wt

#endif
