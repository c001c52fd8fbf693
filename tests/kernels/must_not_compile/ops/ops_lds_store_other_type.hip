// SPDX-License-Identifier: MIT
// expect: copy the register tile to one of the LDS tile's type first
// expect: copy the register vector to one of the LDS vector's type first
// expect: load the LDS vector's type, then copy
#include "ops/lds_store.h"
#include "ops/lds_vector.h"

using tile = wt::rt_ct<float, 16, 16>;
WT_KERNEL(64) store(tile *from, wt::col_vec<float, tile> *rows) {
  WT_SHARED static wt::st<wt::bf16, 16, 16> to;
  WT_SHARED static wt::sv<wt::bf16, 16> values;
  wt::store<wt::bank_conflicts::allowed>(to, *from, 0, 0);
  wt::store(values, *rows);
  wt::load(*rows, values);
}
