// SPDX-License-Identifier: MIT
// This header takes the elements of a tile two by two, for lists of micro-ops that work between MFMAs by
// packed instructions.
//
// scope: lane; operands: rt of any layout; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
#ifndef WT_OPS_PAIRS_H
#define WT_OPS_PAIRS_H

#include "../tiles/rt.h"
#include "list.h"

namespace wt {

// This is the number of pairs of a lane in a tile. They are numbered fragment after fragment.
template <class Tile>
constexpr int kPairs = Tile::kElements / 2;

// Return pair number N of a tile, and set it.
template <int N, class T, int Rows, int Columns, class Layout>
WT_DEVICE vector<T, 2> pair_of(const rt<T, Rows, Columns, Layout> &tile) {
  using tile_type = rt<T, Rows, Columns, Layout>;
  static constexpr int kFragment = N * 2 / Layout::kElements, kFirst = N * 2 % Layout::kElements;
  static constexpr int kI = kFragment / tile_type::kWide, kJ = kFragment % tile_type::kWide;
  return {tile.fragment[kI][kJ][kFirst], tile.fragment[kI][kJ][kFirst + 1]};
}
template <int N, class T, int Rows, int Columns, class Layout>
WT_DEVICE void set_pair(rt<T, Rows, Columns, Layout> &tile, vector<T, 2> pair) {
  using tile_type = rt<T, Rows, Columns, Layout>;
  static constexpr int kFragment = N * 2 / Layout::kElements, kFirst = N * 2 % Layout::kElements;
  static constexpr int kI = kFragment / tile_type::kWide, kJ = kFragment % tile_type::kWide;
  tile.fragment[kI][kJ][kFirst] = pair[0], tile.fragment[kI][kJ][kFirst + 1] = pair[1];
}

// Sets pair number N of an array of tiles, whose pairs are numbered tile after tile.
template <int N, class Tile, int Count, class Pair>
WT_DEVICE void set_pair(Tile (&tiles)[Count], Pair pair) {
  set_pair<N % kPairs<Tile>>(tiles[N / kPairs<Tile>], pair);
}

}  // namespace wt

#endif
