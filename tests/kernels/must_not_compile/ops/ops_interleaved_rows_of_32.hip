// SPDX-License-Identifier: MIT
// expect: rows are interleaved in every 64
// target: gfx950
#include "wavetile_device.h"

using sums = wt::rt_ct<float, 32, 64, 32>;

WT_KERNEL(64) put(const sums *c, wt::gl<float> to) {
  const wt::row_writer<float, sums, wt::row_order::interleaved> writer(to);
  wt::issue_all(writer.stores(*c, 1));
}
