// SPDX-License-Identifier: MIT
// expect: gfx942 reads elements of 16 bits across the rows of an LDS tile: transpose others before
// target: gfx942
#include "ops/lds_reader_tr.h"

using tile = wt::rt_a<wt::i8, 16, 64>;
WT_KERNEL(64) read(tile *to) {
  WT_SHARED wt::st<wt::i8, 64, 32> lds;
  issue_all(wt::lds_reader_tr<decltype(lds), tile>(0, lds).reads(*to));
}
