// SPDX-License-Identifier: MIT
// expect: each wave copies groups of one matrix
// target: gfx950
#include "wavetile_device.h"

using tile = wt::shuffled_scale_tile<512>;

WT_KERNEL(256) copy(wt::shuffled_scale_matrix *from) {
  WT_SHARED tile lds_tile;
  wt::shuffled_scale_copier<tile, 192, 4> copier(*from, *from);
  wt::issue_all(copier.copies(0, lds_tile));
}
