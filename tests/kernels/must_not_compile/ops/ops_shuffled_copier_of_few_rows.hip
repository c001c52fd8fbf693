// SPDX-License-Identifier: MIT
// expect: the tile must divide evenly into 16 bytes per lane
// target: gfx950
#include "wavetile_device.h"

using tile = wt::shuffled_scale_tile<256>;

WT_KERNEL(256) copy(wt::shuffled_scale_matrix *from) {
  WT_SHARED tile lds_tile;
  wt::shuffled_scale_copier<tile, 128, 4> copier(*from, *from);
  wt::issue_all(copier.copies(0, lds_tile));
}
