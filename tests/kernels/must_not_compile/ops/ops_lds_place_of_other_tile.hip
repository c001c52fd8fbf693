// SPDX-License-Identifier: MIT
// expect: this is no tile of the type that belongs here: name one
#include "wavetile_device.h"

using tile = wt::st<wt::bf16, 64, 64, wt::swizzle_for_row<128>>;
using other = wt::st<wt::bf16, 64, 64>;

WT_KERNEL(256) copy(wt::gl<const wt::bf16> from) {
  WT_SHARED other to;
  const wt::lds_copier<tile, 4> copier(from, 0);
  wt::issue_all(copier.copies(wt::memory_of(from, 64), 0, to));
}
