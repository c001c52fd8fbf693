// SPDX-License-Identifier: MIT
// expect: copy the tile to one of the matrix's type first
// expect: copy the vector to one of the memory's type first
// expect: load the memory's type, then copy
#include "ops/global_tile.h"

using tile = wt::rt_c<float, 16, 16>;
WT_KERNEL(64) store(wt::gl<wt::bf16> to, tile *from, wt::col_vec<float, tile> *rows) {
  wt::store(to, *from, 0, 0);
  wt::store(to.data, *rows, 16);
  wt::load(*rows, to.data, 16);
}
