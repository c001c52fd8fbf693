// SPDX-License-Identifier: MIT
// expect: transposed reads give operands of 16 or 32 rows
#include "ops/lds_reader_tr.h"

using tile = wt::rt<wt::bf16, 4, 64, wt::operand<4, 64, 4>>;
WT_KERNEL(64) read(tile *to) {
  WT_SHARED wt::st<wt::bf16, 64, 32> lds;
  issue_all(wt::lds_reader_tr<decltype(lds), tile>(0, lds).reads(*to));
}
