// SPDX-License-Identifier: MIT
// rt_agpr: an accumulator tile pinned to the accumulation registers (AGPRs).
#ifndef WT_TILES_RT_AGPR_H
#define WT_TILES_RT_AGPR_H

#include "rt.h"

namespace wt {

// A wave that has a SIMD to itself owns 256 VGPRs and 256 AGPRs (CDNA4 ISA ch. 3). With all accumulators in
// AGPRs, everything that is computed stays in VGPRs and nothing moves between the two in the main loop; left
// to itself the compiler mixes them. Only zero, mma_* and release (ops/mma.h) accept this tile.
template <class T, int Rows, int Columns, class Layout>
struct rt_agpr {
  using vgprs = rt<T, Rows, Columns, Layout>;
  using element = T;
  using layout = Layout;
  using fragment_type = typename vgprs::fragment_type;
  static constexpr int kRows = Rows, kColumns = Columns, kTall = vgprs::kTall, kWide = vgprs::kWide;

  fragment_type fragment[kTall][kWide];
};

// The pinned form of a tile, where Pinned asks for it.
template <bool Pinned, class Tile>
struct pinned_if {
  using type = Tile;
};
template <class T, int Rows, int Columns, class Layout>
struct pinned_if<true, rt<T, Rows, Columns, Layout>> {
  using type = rt_agpr<T, Rows, Columns, Layout>;
};
template <bool Pinned, class Tile>
using pinned_if_t = typename pinned_if<Pinned, Tile>::type;

template <class Tile>
constexpr bool is_pinned = false;
template <class T, int Rows, int Columns, class Layout>
constexpr bool is_pinned<rt_agpr<T, Rows, Columns, Layout>> = true;

}  // namespace wt

#endif
