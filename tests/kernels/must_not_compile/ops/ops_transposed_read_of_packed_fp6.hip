// SPDX-License-Identifier: MIT
// expect: give the LDS tile spacing::sixteens
#include "ops/lds_reader_tr.h"

using tile = wt::rt_a<wt::fp6e2m3, 16, 128>;
WT_KERNEL(64) read(tile *to) {
  WT_SHARED wt::st<wt::fp6e2m3, 128, 128> lds;
  issue_all(wt::lds_reader_tr<decltype(lds), tile>(0, lds).reads(*to));
}
