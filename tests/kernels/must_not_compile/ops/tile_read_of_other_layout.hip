// SPDX-License-Identifier: MIT
// expect: not what this reader reads
#include "wavetile_device.h"

using tile = wt::st<wt::bf16, 64, 64, wt::swizzle_for_row<128>>;
WT_KERNEL(64) read() {
  const wt::lds_reader<tile, wt::natural_operand<wt::bf16>> reader(0);
  wt::rt_a<wt::bf16, 32, 64, 32> a;
  wt::load(a, reader);
}
